import type { Line, Piece } from './line.ts';
import type { CodeRange } from './markdown.ts';

/**
 * Highlights, four values each, one after the other: line, first byte, byte after the last, group; a group of ''
 * hides the text. Flat, because nothing crosses to Neovim in greater number.
 */
export type Marks = readonly (number | string)[];

/** What is written, and how it looks. */
interface Text {
  readonly lines: readonly string[];
  readonly marks: Marks;
  /** What stands at the right edge of lines. */
  readonly right: readonly (readonly [line: number, pieces: readonly Piece[]])[];
}

/**
 * The smallest changes that bring the buffer up to date. Lines and marks are counted from the start of their block,
 * which Lua finds by its extmark.
 */
export type Patch =
  | { readonly op: 'reset' }
  | ({
      readonly op: 'new';
      readonly id: number;
      /** The line with the heading of a prompt of the user; absent in all other blocks. */
      readonly prompt?: number;
    } & Text)
  | ({ readonly op: 'set'; readonly id: number; readonly at: number; readonly count: number } & Text)
  | ({
      readonly op: 'add';
      readonly id: number;
      readonly at: number;
      readonly column: number;
      readonly isRemarked: boolean;
    } & Text)
  | { readonly op: 'code'; readonly id: number; readonly ranges: readonly CodeRange[] };

export interface Frame {
  readonly chat: number;
  /** Which of its buffers, if not the transcript. */
  readonly part?: 'plan' | 'review';
  readonly patches: readonly Patch[];
  /** The line above the chat: what stands left and right in it. Absent: as it was. */
  readonly winbar?: { readonly left: readonly Piece[]; readonly right: readonly Piece[] };
  /** The sign of life on the last line. */
  readonly activity?: readonly Piece[];
  /** How many blocks there are after this frame, so that Lua notices when it missed some. */
  readonly blocks: number;
}

/** The lines of a patch; `offset` is where in the block they begin. */
export function textOf(lines: readonly Line[], offset = 0): Text {
  const texts: string[] = [];
  const marks: (number | string)[] = [];
  const right: [number, readonly Piece[]][] = [];
  for (const [index, line] of lines.entries()) {
    texts.push(line.text);
    if (line.spans) for (const { from, to, hl } of line.spans) marks.push(index + offset, from, to, hl ?? '');
    if (line.right) right.push([index + offset, line.right]);
  }
  return { lines: texts, marks, right };
}
