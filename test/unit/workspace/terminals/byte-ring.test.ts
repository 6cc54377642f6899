import { describe, expect, it } from 'vitest';
import { ByteRing } from '../../../../src/workspace/terminals/byte-ring.ts';
import { fc } from '../../../support/property.ts';

const pieces = (ring: ByteRing, bytes: number, lines: number) => {
  const found: string[] = [];
  while (ring.size > 0) found.push(ring.take(bytes, lines).toString());
  return found;
};

function aRing(...texts: readonly string[]): ByteRing {
  const ring = new ByteRing();
  for (const text of texts) ring.push(Buffer.from(text));
  return ring;
}

describe('ByteRing', () => {
  it.each<[string, readonly string[], number, number, readonly string[]]>([
    ['returns the bytes in order', ['ab', 'cd'], 10, 10, ['abcd']],
    ['limits a piece by bytes', ['abcde'], 2, 10, ['ab', 'cd', 'e']],
    ['limits a piece by lines', ['a\nb\nc\nd'], 10, 2, ['a\nb\n', 'c\nd']],
    ['is empty after empty pushes', ['', ''], 10, 10, []],
  ])('%s', (_, texts, bytes, lines, expected) =>
    expect(pieces(aRing(...texts), bytes, lines)).toEqual(expected),
  );

  it.each<[string, string, number, string]>([
    ['from the start of a line', 'one\ntwo\nthree\n', 7, 'three\n'],
    ['from the middle of a single line', 'abcdefgh', 3, 'fgh'],
    ['all of a short text', 'one\ntwo\n', 100, 'one\ntwo\n'],
  ])('keeps the last bytes: %s', (_, text, bytes, expected) => {
    const ring = aRing(text);
    expect(ring.last(bytes).toString()).toBe(expected);
    ring.keepLast(bytes);
    expect(pieces(ring, 100, 100).join('')).toBe(expected);
  });

  it('holds what was pushed and not taken, for any steps', () => {
    const step = fc.oneof(
      fc.record({ push: fc.string({ maxLength: 20_000, minLength: 1 }) }),
      fc.record({ take: fc.integer({ min: 1, max: 30_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const ring = new ByteRing();
        let model = Buffer.alloc(0);
        for (const one of steps) {
          if ('push' in one) {
            ring.push(Buffer.from(one.push));
            model = Buffer.concat([model, Buffer.from(one.push)]);
          } else {
            const taken = ring.take(one.take, Number.POSITIVE_INFINITY);
            expect(taken.equals(model.subarray(0, one.take))).toBe(true);
            model = model.subarray(one.take);
          }
        }
        expect(ring.size).toBe(model.length);
        expect(ring.last(model.length).equals(model)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
