import type { Line, Piece } from './line.ts';
import type { CodeRange } from './markdown.ts';

/** What Lua hands to nvim_buf_set_extmark: a highlight, a conceal, or text at the right edge. */
export type Mark =
  | readonly [line: number, from: number, to: number, hl: string]
  | readonly [line: number, options: Readonly<Record<string, unknown>>];

/**
 * The smallest changes that bring the buffer up to date. Lines and marks are counted from the start of their block,
 * which Lua finds by its extmark.
 */
export type Patch =
  | { readonly op: 'reset' }
  | {
      readonly op: 'new';
      readonly id: number;
      readonly lines: readonly string[];
      readonly marks: readonly Mark[];
    }
  | {
      readonly op: 'set';
      readonly id: number;
      readonly at: number;
      readonly count: number;
      readonly lines: readonly string[];
      readonly marks: readonly Mark[];
    }
  | {
      readonly op: 'add';
      readonly id: number;
      readonly at: number;
      readonly column: number;
      readonly lines: readonly string[];
      readonly marks: readonly Mark[];
      readonly isRemarked: boolean;
    }
  | { readonly op: 'code'; readonly id: number; readonly ranges: readonly CodeRange[] };

export interface Frame {
  readonly chat: number;
  readonly patches: readonly Patch[];
  /** The line above the chat: what stands left and right in it. Absent: as it was. */
  readonly winbar?: { readonly left: readonly Piece[]; readonly right: readonly Piece[] };
  /** The sign of life on the last line. */
  readonly activity?: readonly Piece[];
  /** How many blocks there are after this frame, so that Lua notices when it missed some. */
  readonly blocks: number;
}

export function textsOf(lines: readonly Line[]): readonly string[] {
  return lines.map(({ text }) => text);
}

export function marksOf(lines: readonly Line[], offset = 0): readonly Mark[] {
  const marks: Mark[] = [];
  for (const [index, line] of lines.entries()) {
    for (const { from, to, hl, conceal } of line.spans ?? []) {
      if (hl !== undefined) marks.push([index + offset, from, to, hl]);
      else marks.push([index + offset, { col: from, end_col: to, conceal }]);
    }
    if (line.right) marks.push([index + offset, { virt_text: line.right, virt_text_pos: 'right_align' }]);
  }
  return marks;
}
