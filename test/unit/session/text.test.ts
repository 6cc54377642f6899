import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrowingText } from '../../../src/session/text.ts';

it('gives a reader with a cursor what was appended since, in any steps', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.array(fc.string())), (start, rounds) => {
      const text = new GrowingText(start);
      let cursor = text.cursor;
      let read = start;
      for (const parts of rounds) {
        for (const part of parts) text.append(part);
        expect(text.since(cursor)).toBe(parts.join(''));
        read += text.since(cursor);
        cursor = text.cursor;
      }
      expect({ read, length: text.length }).toEqual({ read: text.toString(), length: read.length });
    }),
  );
});

it('does not grow by nothing', () => {
  const text = new GrowingText();
  text.append('');
  expect({ cursor: text.cursor, length: text.length, text: `${text}` }).toEqual({
    cursor: 0,
    length: 0,
    text: '',
  });
});

it('reads on from any place, also in a text of very many pieces', () => {
  const text = new GrowingText();
  let whole = '';
  for (let index = 0; index < 5_000; index += 1) {
    text.append(`${index},`);
    whole += `${index},`;
  }
  expect(text.toString()).toBe(whole);
  for (let cursor = 0; cursor < whole.length; cursor += 997) {
    expect(text.since(cursor)).toBe(whole.slice(cursor));
  }
  expect(text.since(text.cursor)).toBe('');
});
