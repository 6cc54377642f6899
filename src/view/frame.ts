import type { CodeRange, PatchPicture, PatchText, Piece } from '../ports/frame.ts';
import { type Line, type LinePicture, markOf } from './line.ts';

/** The text and marks of a patch; `offset` is its first line within the block. */
export function patchText(lines: readonly Line[], offset = 0): PatchText {
  const texts: string[] = [];
  const marks: (number | string)[] = [];
  const right: [number, readonly Piece[]][] = [];
  const pictures: PatchPicture[] = [];
  for (const [index, line] of lines.entries()) {
    texts.push(line.text);
    if (line.spans)
      for (const span of line.spans) marks.push(index + offset, span.from, span.to, markOf(span));
    if (line.right) right.push([index + offset, line.right]);
    if (line.picture) pictures.push([index + offset, line.picture.path, ...sizeOf(line.picture)]);
  }
  return { lines: texts, marks, right, ...(pictures.length > 0 && { pictures }) };
}

/** The code blocks of the lines of a block. */
export function codeRanges(lines: readonly Line[]): readonly CodeRange[] {
  const ranges: CodeRange[] = [];
  for (const [index, { code }] of lines.entries()) {
    if (!code || code === lines[index - 1]?.code) continue;
    const end = lines.findIndex((line, at) => at > index && line.code !== code);
    ranges.push({ ...code, from: index, to: end === -1 ? lines.length : end });
  }
  return ranges;
}

function sizeOf({ pixels }: LinePicture): readonly number[] {
  return pixels ? [pixels.width, pixels.height] : [];
}
