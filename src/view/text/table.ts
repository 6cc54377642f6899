import { byteLength, type Line, type Span } from '../line.ts';
import { displayWidth, fitEnd } from './display-width.ts';

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
  const natural = Array.from({ length: columns }, (_, at) =>
    Math.max(1, ...cells.map((row, index) => (index === 1 ? 1 : displayWidth(row[at] ?? '')))),
  );
  const indent = /^\s*/.exec(rows[0]!)![0];
  const widths = shrink(natural, width - indent.length - 3 * columns - 1);
  const rightColumns = cells[1]!.map((cell) => /[^:]:$/.test(cell) && !cell.startsWith(':'));
  return cells.map((row, index) => {
    if (index === 1) return separatorLine(indent, widths);
    const texts = widths.map((size, at) => fitted(row[at] ?? '', size, rightColumns[at] ?? false));
    return rowLine(indent, texts, index === 0);
  });
}

function splitRow(row: string): readonly string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
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

function fitted(cell: string, size: number, isRight: boolean): string {
  const text = fitEnd(cell, size);
  const blanks = ' '.repeat(size - displayWidth(text));
  return isRight ? blanks + text : text + blanks;
}

function rowLine(indent: string, cells: readonly string[], isHeading: boolean): Line {
  const spans: Span[] = [];
  let text = indent;
  for (const cell of cells) {
    const from = byteLength(text);
    spans.push({ from, to: from + 1, shownAs: '│' });
    if (isHeading) spans.push({ from: from + 2, to: from + 2 + byteLength(cell), hl: 'AcpBold' });
    text += `| ${cell} `;
  }
  const end = byteLength(text);
  return { text: `${text}|`, spans: [...spans, { from: end, to: end + 1, shownAs: '│' }] };
}

function separatorLine(indent: string, widths: readonly number[]): Line {
  const text = `${indent}|${widths.map((size) => '-'.repeat(size + 2)).join('|')}|`;
  const drawn = `├${widths.map((size) => '─'.repeat(size + 2)).join('┼')}┤`;
  return { text, spans: [{ from: indent.length, to: byteLength(text), shownAs: `=${drawn}` }] };
}
