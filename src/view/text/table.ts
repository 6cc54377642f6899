import { byteLength, type Line, type Span } from '../line.ts';
import { displayWidth, fitEnd } from './display-width.ts';
import { type Coloured, withoutSigns } from './inline-markup.ts';

/** A table of a message: its first line, and its rows as they were written. */
export interface Table {
  readonly line: number;
  readonly rows: readonly string[];
}

const maxRows = 300;
const maxColumns = 30;
const minCells = 6;

export function isTableRow(line: string): boolean {
  return /^\s*\|/.test(line);
}

/** The rows of a table with columns of equal width, cut so that they fit into `width` cells. */
export function alignTable(rows: readonly string[], width: number): readonly Line[] | undefined {
  const cells = rows.map(splitRow);
  const columns = Math.max(...cells.map((row) => row.length));
  const isTable = rows.length >= 2 && rows.length <= maxRows && columns <= maxColumns;
  if (!isTable || !cells[1]!.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  // Concealed signs would misalign the columns, and Neovim wraps a line as if they were visible.
  const shown = cells.map((row, index) => (index === 1 ? [] : row.map(withoutSigns)));
  const natural = Array.from({ length: columns }, (_, at) =>
    Math.max(1, ...shown.map((row) => displayWidth(row[at]?.text ?? ''))),
  );
  const indent = /^\s*/.exec(rows[0]!)![0];
  const widths = shrink(natural, width - indent.length - 3 * columns - 1);
  const rightColumns = cells[1]!.map((cell) => /[^:]:$/.test(cell) && !cell.startsWith(':'));
  return shown.map((row, index) => {
    if (index === 1) return separatorLine(indent, widths);
    const fit = widths.map((size, at) => fitted(row[at] ?? emptyCell, size, rightColumns[at] ?? false));
    return rowLine(indent, fit, index === 0);
  });
}

function splitRow(row: string): readonly string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  // A bar in a cell is written as \|, also in code.
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

// The widest columns give way first.
function shrink(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, size) => sum + size, 0) - room;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= minCells) break;
    widths[widest]! -= 1;
    excess -= 1;
  }
  return widths;
}

const emptyCell: Coloured = { text: '', spans: [] };

function fitted({ text, spans }: Coloured, size: number, isRight: boolean): Coloured {
  const cut = fitEnd(text, size);
  const blanks = ' '.repeat(size - displayWidth(cut));
  const [before, end] = [isRight ? blanks.length : 0, byteLength(cut)];
  const moved = spans
    .filter(({ from }) => from < end)
    .map(({ from, to, hl }) => ({ from: from + before, to: Math.min(to, end) + before, hl: hl! }));
  return { text: isRight ? blanks + cut : cut + blanks, spans: moved };
}

function rowLine(indent: string, cells: readonly Coloured[], isHeading: boolean): Line {
  const spans: Span[] = [];
  let text = indent;
  for (const cell of cells) {
    const from = byteLength(text);
    const start = from + 2;
    spans.push({ from, to: from + 1, shownAs: '│' });
    if (isHeading) spans.push({ from: start, to: start + byteLength(cell.text), hl: 'AcpBold' });
    for (const span of cell.spans) spans.push({ ...span, from: start + span.from, to: start + span.to });
    text += `| ${cell.text} `;
  }
  const end = byteLength(text);
  return { text: `${text}|`, spans: [...spans, { from: end, to: end + 1, shownAs: '│' }] };
}

function separatorLine(indent: string, widths: readonly number[]): Line {
  const text = `${indent}|${widths.map((size) => '-'.repeat(size + 2)).join('|')}|`;
  const drawn = `├${widths.map((size) => '─'.repeat(size + 2)).join('┼')}┤`;
  return { text, spans: [{ from: indent.length, to: byteLength(text), shownAs: `=${drawn}` }] };
}
