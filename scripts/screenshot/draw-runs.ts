import type { Style } from '../../test/support/nvim/highlights.ts';
import type { Cell, Screen } from '../../test/support/nvim/screen.ts';

/** Neighbouring cells that look the same. */
export interface Run {
  readonly row: number;
  readonly col: number;
  readonly columns: number;
  readonly style: Style;
  readonly pieces: readonly Piece[];
}

/** Characters of a run that a font can be trusted to set evenly: ASCII, or one other character repeated. */
export interface Piece {
  readonly col: number;
  readonly columns: number;
  readonly text: string;
}

const styleKeys = [
  'fg',
  'bg',
  'special',
  'bold',
  'italic',
  'underline',
  'undercurl',
  'strikethrough',
] as const;

export function runsOf(screen: Screen, row: number): Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (let col = 1; col <= screen.width; col++) {
    if (col < screen.width && looksSame(screen.cell(row, start), screen.cell(row, col))) continue;
    runs.push(runBetween(screen, row, { start, end: col }));
    start = col;
  }
  return runs;
}

function runBetween(screen: Screen, row: number, { start, end }: { start: number; end: number }): Run {
  const cells = Array.from({ length: end - start }, (_, index) => screen.cell(row, start + index));
  return {
    row,
    col: start,
    columns: cells.length,
    style: screen.cell(row, start),
    pieces: piecesOf(cells, start),
  };
}

function piecesOf(cells: readonly Cell[], start: number): Piece[] {
  const pieces: Piece[] = [];
  cells.forEach(({ text }, index) => {
    const last = pieces.at(-1);
    if (last && (text === '' || belongTogether(last.text, text))) {
      pieces[pieces.length - 1] = { ...last, columns: last.columns + 1, text: last.text + text };
    } else {
      pieces.push({ col: start + index, columns: 1, text });
    }
  });
  return pieces.map(withoutMargins).filter((piece) => piece.text !== '');
}

function withoutMargins({ col, columns, text }: Piece): Piece {
  const indent = text.length - text.trimStart().length;
  return { col: col + indent, columns: columns - (text.length - text.trim().length), text: text.trim() };
}

function belongTogether(before: string, text: string): boolean {
  return (isAscii(before) && isAscii(text)) || before === text.repeat(before.length / text.length);
}

function isAscii(text: string): boolean {
  return /^[ -~]+$/.test(text);
}

function looksSame(a: Style, b: Style): boolean {
  return styleKeys.every((key) => a[key] === b[key]);
}
