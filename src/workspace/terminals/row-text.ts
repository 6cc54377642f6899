import type { IBufferCell, IBufferLine } from '@xterm/headless';

const tabWidth = 8;

/** A row of a terminal as text, its colours as SGR sequences that begin and end with the row. */
export function rowText(line: IBufferLine, reused: IBufferCell): string {
  return simpleText(line, reused) ?? styledText(line, reused);
}

let letters = Buffer.alloc(256);

// Fast path: most rows are plain ASCII, and one string per character would be slow in a flood.
function simpleText(line: IBufferLine, reused: IBufferCell): string | undefined {
  if (letters.length < line.length) letters = Buffer.alloc(2 * line.length);
  let length = 0;
  for (let column = 0; column < line.length; column += 1) {
    const cell = line.getCell(column, reused);
    const code = cell?.getCode() ?? 0;
    if (code === 0) continue;
    if (code > 0x7e || length < column || !cell?.isAttributeDefault()) return undefined;
    letters[length] = code;
    length += 1;
  }
  return letters.toString('latin1', 0, length);
}

function styledText(line: IBufferLine, reused: IBufferCell): string {
  // Joined at the end: V8 keeps a string that grows by characters as a tree.
  const parts: string[] = [];
  let style = '';
  let gap = 0;
  for (let column = 0; column < line.length; column += 1) {
    const cell = line.getCell(column, reused);
    if (!cell || cell.getWidth() === 0) continue;
    const characters = cell.getChars();
    if (characters === '') {
      gap += 1;
      continue;
    }
    const wanted = cell.isAttributeDefault() ? '' : styleOf(cell);
    if (wanted !== style) parts.push(wanted === '' ? '\x1b[0m' : `\x1b[0;${wanted}m`);
    style = wanted;
    if (gap > 0) parts.push(blanks(column - gap, column));
    gap = 0;
    parts.push(characters);
  }
  if (style !== '') parts.push('\x1b[0m');
  return parts.join('');
}

// Cells that were never written were most likely skipped by a tab. Agents that read a file need the tab.
function blanks(from: number, to: number): string {
  let text = '';
  let column = from;
  for (;;) {
    const stop = column - (column % tabWidth) + tabWidth;
    if (stop > to) return text + ' '.repeat(to - column);
    text += '\t';
    column = stop;
  }
}

function styleOf(cell: IBufferCell): string {
  const codes: (number | string)[] = [];
  if (cell.isBold()) codes.push(1);
  if (cell.isDim()) codes.push(2);
  if (cell.isItalic()) codes.push(3);
  if (cell.isUnderline()) codes.push(4);
  if (cell.isInverse()) codes.push(7);
  if (cell.isFgPalette()) codes.push(paletteCode(cell.getFgColor(), 30));
  if (cell.isFgRGB()) codes.push(rgbCode(cell.getFgColor(), 38));
  if (cell.isBgPalette()) codes.push(paletteCode(cell.getBgColor(), 40));
  if (cell.isBgRGB()) codes.push(rgbCode(cell.getBgColor(), 48));
  return codes.join(';');
}

function paletteCode(colour: number, base: 30 | 40): number | string {
  if (colour < 8) return base + colour;
  return colour < 16 ? base + 60 + colour - 8 : `${base + 8};5;${colour}`;
}

function rgbCode(colour: number, code: 38 | 48): string {
  return `${code};2;${colour >> 16};${(colour >> 8) & 255};${colour & 255}`;
}
