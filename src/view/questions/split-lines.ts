import { byteLength, type Line } from '../line.ts';
import { displayWidth } from '../text/display-width.ts';

const maxCells = 100;
const tabCells = 8;

/**
 * Splits long lines, so that each fits on a small screen: Neovim shows the beginning of a line that does not, and what
 * must be read before an answer counts would count as read.
 */
export function splitLongLines(lines: readonly Line[], max = maxCells): readonly Line[] {
  return lines.flatMap((line) => (cellsOf(line.text) <= max ? [line] : splitLine(line, max)));
}

function splitLine({ text, spans = [] }: Line, max: number): readonly Line[] {
  const pieces: Line[] = [];
  let from = 0;
  for (const piece of splitText(text, max)) {
    const [start, end] = [from, from + byteLength(piece)];
    const inside = spans
      .filter((span) => span.from < end && span.to > start)
      .map((span) => ({
        ...span,
        from: Math.max(span.from, start) - start,
        to: Math.min(span.to, end) - start,
      }));
    pieces.push(inside.length === 0 ? { text: piece } : { text: piece, spans: inside });
    from = end;
  }
  return pieces;
}

function splitText(text: string, max: number): readonly string[] {
  const pieces: string[] = [];
  let [start, at, room] = [0, 0, max];
  for (const character of text) {
    const cells = cellsOf(character);
    if (cells > room && at > start) {
      pieces.push(text.slice(start, at));
      [start, room] = [at, max];
    }
    at += character.length;
    room -= cells;
  }
  return [...pieces, text.slice(start)];
}

// Characters without a width count too: there may be thousands of them.
function cellsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text].reduce(
    (sum, character) => sum + (character === '\t' ? tabCells : Math.max(1, displayWidth(character))),
    0,
  );
}
