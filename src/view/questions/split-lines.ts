import { byteLength, type Line } from '../line.ts';

const maxCharacters = 100;

/**
 * Splits long lines, so that each fits on a small screen: Neovim shows the beginning of a line that does not, and what
 * must be read before an answer counts would count as read.
 */
export function splitLongLines(lines: readonly Line[], max = maxCharacters): readonly Line[] {
  return lines.flatMap((line) => (line.text.length <= max ? [line] : splitLine(line, max)));
}

function splitLine({ text, spans = [] }: Line, max: number): readonly Line[] {
  const characters = [...text];
  const pieces: Line[] = [];
  let from = 0;
  for (let at = 0; at < characters.length; at += max) {
    const piece = characters.slice(at, at + max).join('');
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
