import type { Piece } from '../../ports/frame.ts';

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
// Variation selectors are marks too.
const zero = /[\p{M}\u200b-\u200d]/u;

/** About how many cells of a terminal a text takes. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...text].reduce((sum, character) => sum + widthOf(character), 0);
}

/** Cuts the end of a text that takes more cells, and marks that with an ellipsis. */
export function fitEnd(text: string, cells: number): string {
  if (displayWidth(text) <= cells) return text;
  return `${takeCells([...text], cells - 1).join('')}…`;
}

/** Cuts the beginning of a text that takes more cells. */
export function fitStart(text: string, cells: number): string {
  if (displayWidth(text) <= cells) return text;
  const end = takeCells([...text].reverse(), cells - 1);
  return `…${[...end].reverse().join('')}`;
}

/** Cells that pieces of text take. */
export function piecesWidth(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, [text]) => sum + displayWidth(text), 0);
}

/** Leaves out the last pieces if all of them take more cells. The first is cut if it is too long alone. */
export function fitPieces(pieces: readonly Piece[], cells: number): readonly Piece[] {
  const [first, ...others] = pieces;
  if (!first || piecesWidth(pieces) <= cells) return pieces;
  return others.length === 0 ? [[fitEnd(first[0], cells), first[1]]] : fitPieces(pieces.slice(0, -1), cells);
}

function takeCells(characters: readonly string[], cells: number): readonly string[] {
  let left = cells;
  const end = characters.findIndex((character) => {
    left -= widthOf(character);
    return left < 0;
  });
  return end === -1 ? characters : characters.slice(0, end);
}

function widthOf(character: string): number {
  if (zero.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
