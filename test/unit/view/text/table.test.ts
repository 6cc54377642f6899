import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../../../src/view/text/display-width.ts';
import { alignTable } from '../../../../src/view/text/table.ts';

const align = (rows: readonly string[], width = 80) => alignTable(rows, width)?.map(({ text }) => text);

/** The rows, each followed by the texts that have a colour. */
function coloured(rows: readonly string[], width = 80) {
  return alignTable(rows, width)?.map(({ text, spans = [] }) => {
    const bytes = Buffer.from(text);
    const texts = spans.filter(({ hl }) => hl).map(({ from, to }) => bytes.subarray(from, to).toString());
    return [text, ...texts];
  });
}

describe('a table', () => {
  it('gets columns of equal width', () => {
    expect(align(['|a|long heading|', '|-|-|', '| one more | b |'])).toEqual([
      '| a        | long heading |',
      '|----------|--------------|',
      '| one more | b            |',
    ]);
  });

  it('aligns numbers to the right, and keeps missing cells empty', () => {
    expect(align(['| n | m |', '|--:|---|', '| 1000 |'])).toEqual([
      '|    n | m |',
      '|------|---|',
      '| 1000 |   |',
    ]);
  });

  it('counts wide characters as two cells, and shows bars in cells without the backslash', () => {
    const rows = align(['| 世界 | b |', '|---|---|', '| `a \\| b` | ä |']) ?? [];
    expect(rows).toEqual(['| 世界  | b |', '|-------|---|', '| a | b | ä |']);
    expect(new Set(rows.map(displayWidth)).size).toBe(1);
  });

  it('is cut where it is widest if it does not fit', () => {
    const rows = align(['| key | what it means |', '|---|---|', `| a | ${'word '.repeat(20)}|`], 40) ?? [];
    expect(rows.map(displayWidth)).toEqual([40, 40, 40]);
    expect(rows[2]).toMatch(/^\| a {3}\| word word .*… \|$/);
  });

  it('shows code, bold and italic text without the signs around it', () => {
    const rows = ['| `*.ts` | **b** and *i* |', '|--:|---|', '| ä `*.js` here | [a](https://b.example) |'];
    expect(coloured(rows)).toEqual([
      ['|        *.ts | b and i                |', '       *.ts', '*.ts', 'b and i               ', 'b', 'i'],
      ['|-------------|------------------------|'],
      ['| ä *.js here | [a](https://b.example) |', '*.js', 'a'],
    ]);
  });

  it('keeps the colours of a cell that is cut', () => {
    const [, , row] = coloured(['| a | b |', '|---|---|', '| `one long command` | `short` |'], 24) ?? [];
    expect(row).toEqual(['| one long co… | short |', 'one long co…', 'short']);
  });

  it.each<[string, string[]]>([
    ['one row', ['| a |']],
    ['no separator', ['| a |', '| b |']],
    ['too many rows', ['| a |', '|---|', ...Array.from({ length: 400 }, () => '| b |')]],
  ])('with %s stays as it is', (_, rows) => expect(align(rows)).toBeUndefined());

  it('draws its lines over the markup', () => {
    const [, separator] = alignTable(['| a | b |', '|---|---|'], 80) ?? [];
    expect(separator?.spans).toEqual([{ from: 0, to: 9, shownAs: '=├───┼───┤' }]);
  });
});
