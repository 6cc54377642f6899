import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasty, hunksBetween } from '../../../src/workspace/hunks.ts';

describe('lines that could stand in several places', () => {
  const rows = (text: string) => text.split('');

  it.each<[string, string, string, object]>([
    ['were added below them', 'aPQ{}.{}z', 'bPQ{}.{}.{}z', { from: 8, to: 8, lines: rows('.{}') }],
    ['were removed below them', 'aPQ{}.{}.{}z', 'bPQ{}.{}z', { from: 8, to: 11, lines: [] }],
    ['stand at the end', 'aPQxx', 'bPQxxxx', { from: 5, to: 5, lines: rows('xx') }],
  ])('%s', (_, before, after, expected) => {
    expect(hunksBetween(rows(before), rows(after))[1]).toEqual(expected);
  });
});

describe('the hunks between long texts', () => {
  const apply = (before: readonly string[], hunks: ReturnType<typeof hunksBetween>) => {
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

  it('make one of the other, and are no more than what was changed', () => {
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
        expect(apply(before, hunksBetween(before, after))).toEqual(after);
      }),
      { numRuns: 60 },
    );
  });

  it('are found one by one', () => {
    const before = Array.from({ length: 50_000 }, (_, row) => `line ${row}`);
    const after = before.map((line, row) => (row % 50 === 25 ? 'other' : line));
    expect(hunksBetween(before, after)).toHaveLength(1_000);
  });

  it('replace as a whole what has hardly a line in common', () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `old ${index}`);
    const after = Array.from({ length: 20_000 }, (_, index) => `new ${index}`);
    expect(hunksBetween(before, after)).toEqual([{ from: 0, to: 20_000, lines: after }]);
  });

  it.each<[string, (line: string, row: number) => readonly string[], number]>([
    ['those that lie apart are found one by one', (line, row) => [row % 25 ? line : 'other'], 2_000],
    ['very many are, where lines stand as they stood', (line, row) => [row % 2 ? line : 'other'], 25_000],
    ['else all of them are one', (line, row) => (row % 2 ? [line] : ['other', 'one']), 1],
  ])('in haste: %s', (_, become, count) => {
    const before = Array.from({ length: 50_000 }, (__, row) => `line ${row}`);
    const after = before.flatMap(become);
    const hunks = hunksBetween(before, after, hasty);
    expect(hunks).toHaveLength(count);
    expect(apply(before, hunks)).toEqual(after);
  });
});
