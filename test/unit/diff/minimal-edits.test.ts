import { describe, expect, it } from 'vitest';
import { computeEdits, type Edit } from '../../../src/diff/minimal-edits.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';

/** Applies the edits as Neovim does: columns count bytes, and a buffer always has a line. */
function applied(before: readonly string[], edits: readonly Edit[]): readonly string[] {
  const text = [...asBuffer(before)];
  for (const { startRow, startColumn, endRow, endColumn, lines } of edits) {
    const head = bytesOf(text[startRow]!).subarray(0, startColumn).toString();
    const tail = bytesOf(text[endRow]!).subarray(endColumn).toString();
    const replaced = `${head}${lines.join('\n')}${tail}`.split('\n');
    text.splice(startRow, endRow - startRow + 1, ...replaced);
  }
  return text;
}

const bytesOf = (line: string) => Buffer.from(line);

const asBuffer = (lines: readonly string[]) => (lines.length === 0 ? [''] : lines);

describe('computeEdits', () => {
  it.each<[string, string[], string[], Edit[]]>([
    ['none for equal texts', ['a'], ['a'], []],
    [
      'a word in a line',
      ['one two three'],
      ['one 2 three'],
      [{ startRow: 0, startColumn: 4, endRow: 0, endColumn: 7, lines: ['2'] }],
    ],
    [
      'text added at the end of a line',
      ['ab'],
      ['abc'],
      [{ startRow: 0, startColumn: 2, endRow: 0, endColumn: 2, lines: ['c'] }],
    ],
    [
      'columns in bytes',
      ['ä x'],
      ['ä y'],
      [{ startRow: 0, startColumn: 3, endRow: 0, endColumn: 4, lines: ['y'] }],
    ],
    [
      'whole characters',
      ['😀'],
      ['😁'],
      [{ startRow: 0, startColumn: 0, endRow: 0, endColumn: 4, lines: ['😁'] }],
    ],
    [
      'a line between',
      ['a', 'c'],
      ['a', 'b', 'c'],
      [{ startRow: 1, startColumn: 0, endRow: 1, endColumn: 0, lines: ['b', ''] }],
    ],
    [
      'a line at the end',
      ['a'],
      ['a', 'b'],
      [{ startRow: 0, startColumn: 1, endRow: 0, endColumn: 1, lines: ['', 'b'] }],
    ],
    [
      'the last edit first',
      ['a', 'x', 'c'],
      ['b', 'x', 'd'],
      [
        { startRow: 2, startColumn: 0, endRow: 2, endColumn: 1, lines: ['d'] },
        { startRow: 0, startColumn: 0, endRow: 0, endColumn: 1, lines: ['b'] },
      ],
    ],
  ])('returns minimal edits: %s', async (_, before, after, edits) => {
    expect(await computeEdits(before, after)).toEqual(edits);
  });

  it('turns any text into any other', async () => {
    const line = fc.constantFrom('', 'a', 'b', 'ab', 'äb', '😀b', '😁b', 'a b c', 'a c');
    const text = fc.array(line, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        expect(applied(before, await computeEdits(before, after))).toEqual(asBuffer(after));
      }),
      { numRuns: shortOrLong(300, 3_000) },
    );
  });

  it.each<[string, (row: number) => boolean, number]>([
    ['one edit per line up to the limit', (row) => row % 2 === 1, 5_000],
    ['one edit beyond the limit', (row) => row % 2 === 1 || row < 10, 1],
    ['one edit for many neighbouring lines', (row) => row > 3_000, 1],
  ])('returns %s', async (_, isChanged, count) => {
    const before = Array.from({ length: 10_000 }, (__, row) => `line ${row}`);
    const after = before.map((line, row) => (isChanged(row) ? `  ${line}` : line));
    const edits = await computeEdits(before, after);
    expect(edits).toHaveLength(count);
    expect(applied(before, edits).join('\n')).toBe(after.join('\n'));
  });
});
