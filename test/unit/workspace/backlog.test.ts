import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../../src/workspace/backlog.ts';

const pieces = (backlog: Backlog, bytes: number, lines: number) => {
  const found: string[] = [];
  while (backlog.size > 0) found.push(backlog.take(bytes, lines).toString());
  return found;
};

function aBacklog(...texts: readonly string[]): Backlog {
  const backlog = new Backlog();
  for (const text of texts) backlog.push(Buffer.from(text));
  return backlog;
}

describe('what waits', () => {
  it.each<[string, readonly string[], number, number, readonly string[]]>([
    ['comes out as it went in', ['ab', 'cd'], 10, 10, ['abcd']],
    ['in pieces of so many bytes', ['abcde'], 2, 10, ['ab', 'cd', 'e']],
    ['in pieces of so many lines', ['a\nb\nc\nd'], 10, 2, ['a\nb\n', 'c\nd']],
    ['nothing is nothing', ['', ''], 10, 10, []],
  ])('%s', (_, texts, bytes, lines, expected) =>
    expect(pieces(aBacklog(...texts), bytes, lines)).toEqual(expected),
  );

  it.each<[string, string, number, string]>([
    ['from a line on', 'one\ntwo\nthree\n', 7, 'three\n'],
    ['in the middle of a line when there is no other', 'abcdefgh', 3, 'fgh'],
    ['all when there is not so much', 'one\ntwo\n', 100, 'one\ntwo\n'],
  ])('is cut to its end: %s', (_, text, bytes, expected) => {
    const backlog = aBacklog(text);
    expect(backlog.last(bytes).toString()).toBe(expected);
    backlog.cut(bytes);
    expect(pieces(backlog, 100, 100).join('')).toBe(expected);
  });

  it('is always what was put in and not taken', () => {
    const step = fc.oneof(
      fc.record({ push: fc.string({ maxLength: 20_000, minLength: 1 }) }),
      fc.record({ take: fc.integer({ min: 1, max: 30_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const backlog = new Backlog();
        let model = Buffer.alloc(0);
        for (const one of steps) {
          if ('push' in one) {
            backlog.push(Buffer.from(one.push));
            model = Buffer.concat([model, Buffer.from(one.push)]);
          } else {
            const taken = backlog.take(one.take, Number.POSITIVE_INFINITY);
            expect(taken.equals(model.subarray(0, one.take))).toBe(true);
            model = model.subarray(one.take);
          }
        }
        expect(backlog.size).toBe(model.length);
        expect(backlog.last(model.length).equals(model)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
