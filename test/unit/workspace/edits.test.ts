import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Edit, editsBetween } from '../../../src/workspace/edits.ts';

/** What Neovim makes of the edits: a buffer always has a line. */
function applied(before: readonly string[], edits: readonly Edit[]): readonly string[] {
  let text = Buffer.from((before.length === 0 ? [''] : before).join('\n'));
  for (const { startRow, startColumn, endRow, endColumn, lines } of edits) {
    const starts = rowStarts(text);
    const start = starts[startRow]! + startColumn;
    const end = starts[endRow]! + endColumn;
    text = Buffer.concat([text.subarray(0, start), Buffer.from(lines.join('\n')), text.subarray(end)]);
  }
  return text.toString().split('\n');
}

function rowStarts(text: Buffer): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) starts.push(at + 1);
  return starts;
}

const asBuffer = (lines: readonly string[]) => (lines.length === 0 ? [''] : lines);

describe('the edits between two texts', () => {
  it.each<[string, string[], string[], Edit[]]>([
    ['nothing', ['a'], ['a'], []],
    [
      'a word in a line',
      ['one two three'],
      ['one 2 three'],
      [{ startRow: 0, startColumn: 4, endRow: 0, endColumn: 7, lines: ['2'] }],
    ],
    [
      'what was added at its end',
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
      'the last first',
      ['a', 'x', 'c'],
      ['b', 'x', 'd'],
      [
        { startRow: 2, startColumn: 0, endRow: 2, endColumn: 1, lines: ['d'] },
        { startRow: 0, startColumn: 0, endRow: 0, endColumn: 1, lines: ['b'] },
      ],
    ],
  ])('touch only %s', async (_, before, after, edits) => {
    expect(await editsBetween(before, after)).toEqual(edits);
  });

  it('make one of the other, whatever they are', async () => {
    const line = fc.constantFrom('', 'a', 'b', 'ab', 'äb', '😀b', '😁b', 'a b c', 'a c');
    const text = fc.array(line, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        expect(applied(before, await editsBetween(before, after))).toEqual(asBuffer(after));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each<[string, (row: number) => boolean, number]>([
    ['each for itself while there are not too many', (row) => row % 2 === 1, 5_000],
    ['as one when there are', (row) => row % 2 === 1 || row < 10, 1],
    ['as one when there are, side by side', (row) => row > 3_000, 1],
  ])('are made %s', async (_, isChanged, count) => {
    const before = Array.from({ length: 10_000 }, (__, row) => `line ${row}`);
    const after = before.map((line, row) => (isChanged(row) ? `  ${line}` : line));
    const edits = await editsBetween(before, after);
    expect(edits).toHaveLength(count);
    expect(applied(before, edits).join('\n')).toBe(after.join('\n'));
  });
});
