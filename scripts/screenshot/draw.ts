import type { Style } from '../../test/support/nvim/highlights.ts';
import type { Cursor, Screen } from '../../test/support/nvim/screen.ts';
import { type Box, boxPath, round } from './draw-box.ts';
import { type Piece, type Run, runsOf } from './draw-runs.ts';

const fontSize = 14;
// The advance of the usual monospace fonts, so that a viewer without textLength keeps the grid too.
const cell = { width: fontSize * 0.602, height: 19 };
const baseline = 14;
const margin = 14;
const fonts = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace";

/** Draws a screen as an SVG picture of a window. */
export function drawScreen(screen: Screen): string {
  const rows = Array.from({ length: screen.height }, (_, row) => drawRow(screen, row));
  return drawPicture(screen, [...rows.filter(Boolean), drawCursor(screen)]);
}

/** Draws a window of the size and colour of a screen, with what stands in it. */
export function drawPicture(screen: Screen, content: readonly string[]): string {
  const width = round(screen.width * cell.width + 2 * margin);
  const height = round(screen.height * cell.height + 2 * margin);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"` +
      ` font-family="${fonts}" font-size="${fontSize}" style="white-space:pre" xml:space="preserve">`,
    drawWindow(width, height, screen.background.bg),
    ...content,
    '</svg>\n',
  ].join('\n');
}

function drawWindow(width: number, height: number, color: string): string {
  const size = `width="${round(width - 1)}" height="${round(height - 1)}"`;
  return `<rect x="0.5" y="0.5" ${size} rx="8" fill="${color}" stroke="#4f5258"/>`;
}

// All backgrounds of a row come before its text: a glyph may reach over the edge of its cell.
export function drawRow(screen: Screen, row: number): string {
  const runs = runsOf(screen, row);
  const painted = runs.filter((run) => run.style.bg !== screen.background.bg);
  return [...painted.map(drawBackground), ...runs.flatMap(drawText), ...runs.flatMap(drawLines)].join('');
}

function drawBackground(run: Run): string {
  return rect(boxOf(run.row, run), run.style.bg);
}

function drawText({ row, style, pieces }: Run): string[] {
  return pieces.map((piece) => drawPiece(row, piece, style));
}

function drawPiece(row: number, piece: Piece, style: Style): string {
  const lines = boxLines(row, piece);
  if (lines) return `<path d="${lines}" stroke="${style.fg}" fill="none"/>`;
  const { x, y } = boxOf(row, piece);
  const length = `textLength="${round(piece.columns * cell.width)}"`;
  const weight = (style.bold ? ' font-weight="bold"' : '') + (style.italic ? ' font-style="italic"' : '');
  return `<text x="${x}" y="${round(y + baseline)}" ${length} fill="${style.fg}"${weight}>${escapeXml(piece.text)}</text>`;
}

function boxLines(row: number, { text, col }: Piece): string | undefined {
  const paths = [...text].map((character, index) =>
    boxPath(character, boxOf(row, { col: col + index, columns: 1 })),
  );
  return paths.every(Boolean) ? paths.join('') : undefined;
}

function drawLines({ row, col, columns, style }: Run): string[] {
  const { x, y, width } = boxOf(row, { col, columns });
  const line = (height: number, color: string) => rect({ x, y: round(y + height), width, height: 1 }, color);
  return [
    style.underline ? line(baseline + 2, style.special) : '',
    style.strikethrough ? line(baseline - 4, style.fg) : '',
    style.undercurl ? drawWave({ x, y: round(y + baseline + 2), width }, style.special) : '',
  ];
}

function drawWave({ x, y, width }: Omit<Box, 'height'>, color: string): string {
  const waves = Math.max(1, Math.round(width / 4));
  return `<path d="M${x},${y}${'q1,-2 2,0t2,0'.repeat(waves)}" stroke="${color}" fill="none"/>`;
}

export function drawCursor(screen: Screen): string {
  const { row, col, shape, isVisible } = screen.cursor;
  if (!isVisible) return '';
  const under = screen.cell(row, col);
  const columns = screen.cell(row, col + 1).text === '' ? 2 : 1;
  const box = rect(cursorBox(boxOf(row, { col, columns }), shape), screen.background.fg);
  if (shape !== 'block' || under.text.trim() === '') return box;
  return box + drawPiece(row, { col, columns, text: under.text }, { ...under, fg: screen.background.bg });
}

function cursorBox(box: Box, shape: Cursor['shape']): Box {
  if (shape === 'vertical') return { ...box, width: 2 };
  if (shape === 'horizontal') return { ...box, y: round(box.y + box.height - 3), height: 3 };
  return box;
}

function boxOf(row: number, { col, columns }: Pick<Piece, 'col' | 'columns'>): Box {
  return {
    x: round(margin + col * cell.width),
    y: round(margin + row * cell.height),
    width: round(columns * cell.width),
    height: cell.height,
  };
}

function rect({ x, y, width, height }: Box, color: string): string {
  const place = `x="${x}" y="${y}" width="${width}" height="${height}"`;
  return `<rect ${place} fill="${color}" shape-rendering="crispEdges"/>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
