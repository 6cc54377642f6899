import { describe, expect, it } from 'vitest';
import { merge, mergedLines } from '../../../src/diff/merge.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';

const lines = (text: string) => text.split('');
const merged = async (ours: string, base: string, theirs: string) =>
  mergedLines(await merge(lines(ours), lines(base), lines(theirs)))?.join('');

describe('merge', () => {
  it.each<[string, string, string, string, string]>([
    ['only the user changed', 'abX', 'abc', 'abc', 'abX'],
    ['only the agent changed', 'abc', 'abc', 'Xbc', 'Xbc'],
    ['both changed different lines', 'abcdX', 'abcde', 'Xbcde', 'XbcdX'],
    ['both made the same change', 'aXc', 'abc', 'aXc', 'aXc'],
    ['one added and the other removed elsewhere', 'abcdeN', 'abcde', 'bcde', 'bcdeN'],
    ['both added the same first lines', 'ab', '', 'ab', 'ab'],
  ])('merges when %s', async (_, ours, base, theirs, expected) => {
    expect(await merged(ours, base, theirs)).toBe(expected);
  });

  it.each<[string, string, string, string]>([
    ['the same line', 'aXc', 'abc', 'aYc'],
    ['neighbouring lines', 'aXcd', 'abcd', 'abYd'],
    ['the same place between lines', 'aXb', 'ab', 'aYb'],
    ['a line that the other removed', 'aXc', 'abc', 'ac'],
    ['an empty text', 'a', '', 'b'],
  ])('reports a conflict when both changed %s', async (_, ours, base, theirs) => {
    expect(await merged(ours, base, theirs)).toBeUndefined();
  });

  it('returns both versions of a conflict and settles the rest', async () => {
    expect(await merge(lines('aXc'), lines('abc'), lines('aYc'))).toEqual([
      { kind: 'settled', lines: ['a'] },
      { kind: 'conflict', ours: ['X'], base: ['b'], theirs: ['Y'] },
      { kind: 'settled', lines: ['c'] },
    ]);
  });
});

describe('merge of random texts', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '', 'c'), { maxLength: 10 });

  it('keeps the new lines of each side in the regions', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, text, async (ours, base, theirs) => {
        const regions = await merge(ours, base, theirs);
        if (regions.every(({ kind }) => kind === 'settled')) return;
        const side = (name: 'ours' | 'theirs') =>
          regions.flatMap((region) => (region.kind === 'settled' ? region.lines : region[name]));
        // What only one side changed is settled, so with one side's conflicts all of its text is there.
        expect(side('ours').length + side('theirs').length).toBeGreaterThanOrEqual(0);
        for (const line of ours.filter((candidate) => !base.includes(candidate)))
          expect(side('ours')).toContain(line);
        for (const line of theirs.filter((candidate) => !base.includes(candidate))) {
          expect(side('theirs')).toContain(line);
        }
      }),
      { numRuns: shortOrLong(200, 2_000) },
    );
  });

  it('equals the changed side if the other side changed nothing', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (base, other) => {
        expect(mergedLines(await merge(other, base, base))).toEqual(other);
        expect(mergedLines(await merge(base, base, other))).toEqual(other);
        expect(mergedLines(await merge(other, base, other))).toEqual(other);
      }),
      { numRuns: shortOrLong(200, 2_000) },
    );
  });

  it('is symmetric', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, text, async (ours, base, theirs) => {
        expect(mergedLines(await merge(ours, base, theirs))).toEqual(
          mergedLines(await merge(theirs, base, ours)),
        );
      }),
      { numRuns: shortOrLong(200, 2_000) },
    );
  });
});
