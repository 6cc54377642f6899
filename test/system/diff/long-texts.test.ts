import { describe, expect, it } from 'vitest';
import { computeHunks, fastLimits } from '../../../src/diff/hunks.ts';
import { merge, mergedLines } from '../../../src/diff/merge.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';

describe('computeHunks for long texts', () => {
  const apply = (before: readonly string[], hunks: ReturnType<typeof computeHunks>) => {
    const lines: string[] = [];
    let at = 0;
    for (const { from, to, lines: now } of hunks) {
      lines.push(...before.slice(at, from), ...now);
      at = to;
    }
    return [...lines, ...before.slice(at)];
  };
  const edit = fc.record({
    at: fc.nat(5_999),
    gone: fc.constantFrom(0, 1, 2, 30, 700),
    come: fc.constantFrom(0, 1, 2, 30, 700),
  });

  it('returns hunks that turn one text into the other', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 40 }), fc.constantFrom(7, 100_000), (edits, kinds) => {
        const before = Array.from({ length: 6_000 }, (_, row) => `line ${row % kinds}`);
        let after: string[] = [...before];
        for (const [index, { at, gone, come }] of edits.entries()) {
          after = after.toSpliced(
            at,
            gone,
            ...Array.from({ length: come }, (_, row) => `new ${index} ${row}`),
          );
        }
        expect(apply(before, computeHunks(before, after))).toEqual(after);
      }),
      { numRuns: shortOrLong(10, 60) },
    );
  });

  it('finds every single changed line', () => {
    const before = Array.from({ length: 50_000 }, (_, row) => `line ${row}`);
    const after = before.map((line, row) => (row % 50 === 25 ? 'other' : line));
    expect(computeHunks(before, after)).toHaveLength(1_000);
  });

  it('returns one hunk for texts without common lines', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `old ${index}`);
    const after = Array.from({ length: 20_000 }, (_, index) => `new ${index}`);
    expect(computeHunks(before, after)).toEqual([{ from: 0, to: 20_000, lines: after }]);
  });

  it.each<[string, (line: string, row: number) => readonly string[], number]>([
    ['changes that lie apart', (line, row) => [row % 25 ? line : 'other'], 2_000],
    ['very many changes without moved lines', (line, row) => [row % 2 ? line : 'other'], 25_000],
    ['one hunk for very many moved lines', (line, row) => (row % 2 ? [line] : ['other', 'one']), 1],
  ])('finds with fast limits: %s', (_, become, count) => {
    const before = Array.from({ length: 50_000 }, (__, row) => `line ${row}`);
    const after = before.flatMap(become);
    const hunks = computeHunks(before, after, fastLimits);
    expect(hunks).toHaveLength(count);
    expect(apply(before, hunks)).toEqual(after);
  });
});

it('merge handles a long text with many equal lines', async () => {
  const base = Array.from({ length: 50_000 }, (_, index) => ['', '}', `line ${index}`][index % 3]!);
  const ours = base.with(10, 'mine').with(49_000, 'mine too');
  const theirs = base.map((line, index) => (index % 500 === 60 ? 'theirs' : line));
  const result = mergedLines(await merge(ours, base, theirs));
  expect(result?.filter((line) => line.startsWith('mine'))).toHaveLength(2);
  expect(result?.filter((line) => line === 'theirs')).toHaveLength(100);
});

it('merge handles more lines than a function call can take as arguments', async () => {
  const base = ['first', 'second', 'third', 'last'];
  const theirs = [...base.slice(0, 3), ...Array.from({ length: 300_000 }, (_, index) => `line ${index}`)];
  const result = mergedLines(await merge(base.with(0, 'mine'), base, theirs));
  expect([result?.[0], result?.length, result?.at(-1)]).toEqual(['mine', 300_003, 'line 299999']);
});
