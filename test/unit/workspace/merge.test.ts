import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merge, mergedLines } from '../../../src/workspace/merge.ts';

const lines = (text: string) => text.split('');
const merged = async (ours: string, base: string, theirs: string) =>
  mergedLines(await merge(lines(ours), lines(base), lines(theirs)))?.join('');

describe('what two made of one text', () => {
  it.each<[string, string, string, string, string]>([
    ['only the user changed', 'abX', 'abc', 'abc', 'abX'],
    ['only the agent changed', 'abc', 'abc', 'Xbc', 'Xbc'],
    ['both changed, apart', 'abcdX', 'abcde', 'Xbcde', 'XbcdX'],
    ['both changed alike', 'aXc', 'abc', 'aXc', 'aXc'],
    ['one added, one removed elsewhere', 'abcdeN', 'abcde', 'bcde', 'bcdeN'],
    ['both wrote the first lines, the same', 'ab', '', 'ab', 'ab'],
  ])('is one text where %s', async (_, ours, base, theirs, expected) => {
    expect(await merged(ours, base, theirs)).toBe(expected);
  });

  it.each<[string, string, string, string]>([
    ['the same line', 'aXc', 'abc', 'aYc'],
    ['neighbouring lines', 'aXcd', 'abcd', 'abYd'],
    ['the same place between lines', 'aXb', 'ab', 'aYb'],
    ['a line that the other removed', 'aXc', 'abc', 'ac'],
    ['a text that was not there', 'a', '', 'b'],
  ])('is a conflict where both changed %s', async (_, ours, base, theirs) => {
    expect(await merged(ours, base, theirs)).toBeUndefined();
  });

  it('tells what each side has, and leaves the rest settled', async () => {
    expect(await merge(lines('aXc'), lines('abc'), lines('aYc'))).toEqual([
      { kind: 'settled', lines: ['a'] },
      { kind: 'conflict', ours: ['X'], base: ['b'], theirs: ['Y'] },
      { kind: 'settled', lines: ['c'] },
    ]);
  });
});

describe('whatever two made of whatever text', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '', 'c'), { maxLength: 10 });

  it('each side can be had whole from the regions', async () => {
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
      { numRuns: 2_000 },
    );
  });

  it('is what one made of it where the other did nothing', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (base, other) => {
        expect(mergedLines(await merge(other, base, base))).toEqual(other);
        expect(mergedLines(await merge(base, base, other))).toEqual(other);
        expect(mergedLines(await merge(other, base, other))).toEqual(other);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not depend on who is who', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, text, async (ours, base, theirs) => {
        expect(mergedLines(await merge(ours, base, theirs))).toEqual(
          mergedLines(await merge(theirs, base, ours)),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

it('takes no time worth speaking of for a long text many of whose lines are alike', async () => {
  const base = Array.from({ length: 50_000 }, (_, index) => ['', '}', `line ${index}`][index % 3]!);
  const ours = base.with(10, 'mine').with(49_000, 'mine too');
  const theirs = base.map((line, index) => (index % 500 === 60 ? 'theirs' : line));
  const result = mergedLines(await merge(ours, base, theirs));
  expect(result?.filter((line) => line.startsWith('mine'))).toHaveLength(2);
  expect(result?.filter((line) => line === 'theirs')).toHaveLength(100);
});

it('puts together what is longer than a call has room for', async () => {
  const base = ['first', 'second', 'third', 'last'];
  const theirs = [...base.slice(0, 3), ...Array.from({ length: 300_000 }, (_, index) => `line ${index}`)];
  const result = mergedLines(await merge(base.with(0, 'mine'), base, theirs));
  expect([result?.[0], result?.length, result?.at(-1)]).toEqual(['mine', 300_003, 'line 299999']);
});
