import { expect, it } from 'vitest';
import { GrowingText, maxTextLength } from '../../../src/model/growing-text.ts';
import { fc } from '../../support/property.ts';

it('GrowingText.since returns the text appended after the cursor, in any steps', () => {
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

it('GrowingText.append ignores an empty text', () => {
  const text = new GrowingText();
  text.append('');
  expect({ cursor: text.cursor, length: text.length, text: `${text}` }).toEqual({
    cursor: 0,
    length: 0,
    text: '',
  });
});

it('GrowingText.since works from any cursor in a text of many pieces', () => {
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

it('GrowingText breaks lines that are too long, in any steps, and no character', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '😀') })), (parts) => {
      const text = new GrowingText('', 5);
      for (const part of parts) text.append(part);
      const lines = text.toString().split('\n');
      expect(lines.every((line) => line.length <= 5 && line.isWellFormed())).toBe(true);
      expect(text.toString().replaceAll('\n', '')).toBe(parts.join('').replaceAll('\n', ''));
      expect(text.since(0)).toBe(text.toString());
    }),
  );
});

it.each([
  ['a line that fits', ['12345', '\n', '12345'], '12345\n12345'],
  ['a line in one piece', ['123456789012'], '12345\n67890\n12'],
  ['a line in many pieces', ['1234', '5', '6', '7890', '1'], '12345\n67890\n1'],
  ['the first and the last line', ['123', '456\n1\n1234567'], '12345\n6\n1\n12345\n67'],
])('GrowingText breaks %s', (_, parts, expected) => {
  const text = new GrowingText('', 5);
  for (const part of parts) text.append(part);
  expect(text.toString()).toBe(expected);
});

it.each<[string, number]>([
  ['in many parts', 1024 * 1024],
  ['at once', 600 * 1024 * 1024],
])('GrowingText.append leaves out what is behind its limit, and says so: 600 MB %s', (_, part) => {
  const text = new GrowingText();
  // V8 makes a string of this length, but not one of 600 MB.
  const most = Math.min(part, 500 * 1024 * 1024);
  const line = 'x'.repeat(1023);
  const chunk = `${line}\n`.repeat(most / 1024);
  for (let added = 0; added < 600 * 1024 * 1024; added += most) text.append(chunk);
  expect(text.length).toBeGreaterThanOrEqual(maxTextLength);
  expect(text.length).toBeLessThan(maxTextLength + 100);
  const end = text.since(maxTextLength - line.length - 1);
  expect(end).toBe(`${line}\n\n\n[The rest is left out: this message is longer than 200 MB.]\n`);
});
