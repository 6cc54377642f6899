/** A piece of text in one highlight group. */
export type Piece = readonly [text: string, hl: string];

/** A code block: the lines between its fences. */
export interface CodeRange {
  readonly from: number;
  /** The line after the last one. Absent: the block is not closed yet. */
  readonly to?: number;
  /** As it is written after the fence, or the name of a file; may be empty. */
  readonly language: string;
  /** Bytes in front of each line that are not part of the code. */
  readonly indent: number;
  /** Lines of a diff, which have a background of their own. */
  readonly isDiff?: true;
}

/**
 * Highlights as a flat list of four values each: line, first byte, byte after the last (-1: the rest of the row), group. A group of '' conceals
 * the text; a group that is one character and no letter is shown instead of it; `=` and a text is drawn over it, and `==`
 * draws a line over the width of the window. The list is flat because highlights are the largest part of the data sent to Neovim.
 */
export type Marks = readonly (number | string)[];

/**
 * The same highlights as text, because Neovim needs only those of the lines that it shows: for each line with
 * highlights a newline, its number and `:`, then `from,to,group;` for each of them.
 */
export type MarkedLines = string;

/** Lines with their highlights. */
export interface PatchText {
  readonly lines: readonly string[];
  readonly marks: Marks;
  /** Text at the right edge of lines. */
  readonly right: readonly (readonly [line: number, pieces: readonly Piece[]])[];
  /** Pictures that Neovim may show below lines. Absent: there are none. */
  readonly pictures?: readonly PatchPicture[];
}

/** The width and the height are in pixels. */
export type PatchPicture = readonly [line: number, path: string, ...size: readonly number[]];

/**
 * A change of the buffer. Lines and marks count from the start of their block, which Lua finds by its extmark.
 */
export type Patch =
  | { readonly op: 'reset' }
  | ({
      readonly op: 'new';
      readonly id: number;
      /** The line with the heading of a prompt of the user; absent in all other blocks. */
      readonly prompt?: number;
      /** The line with the heading of a tool call; absent in all other blocks. */
      readonly tool?: number;
      /** The line with the heading of the open group that the tool call is the first of. */
      readonly group?: number;
      /** The first line of what the user said; absent in blocks of the agent. */
      readonly user?: number;
      /** The block that it stands below. Absent: the last one. */
      readonly below?: number;
    } & PatchText)
  | ({
      readonly op: 'set';
      readonly id: number;
      readonly at: number;
      readonly count: number;
      /** The line with the heading of a tool call, if it is another one now; then with that of its open group too. */
      readonly tool?: number;
      readonly group?: number;
    } & PatchText)
  /** Text that continues the last line of a message. */
  | {
      readonly op: 'add';
      readonly id: number;
      readonly at: number;
      readonly column: number;
      readonly isRemarked: boolean;
      readonly text: string;
      readonly marks: MarkedLines;
    }
  /** Code blocks that begin, and again when they are closed. */
  | {
      readonly op: 'code';
      readonly id: number;
      readonly ranges: readonly CodeRange[];
      /** They replace all code blocks of the block. */
      readonly isAll?: true;
    };

export interface Frame {
  readonly chat: number;
  /** Which of its buffers, if not the transcript. */
  readonly part?: 'plan' | 'review' | 'sessions';
  readonly patches: readonly Patch[];
  /** The session that each line of the list of sessions belongs to; 0: none. */
  readonly items?: readonly number[];
  /** The left and right part of the winbar. Absent: unchanged. */
  readonly winbar?: { readonly left: readonly Piece[]; readonly right: readonly Piece[] };
  /** The activity indicator on the last line. */
  readonly activity?: readonly Piece[];
  /** Lines that tell what an empty chat is. Absent: unchanged; empty: none. */
  readonly intro?: readonly (readonly Piece[])[];
  /** The prompts that wait, one line each, above the activity indicator. */
  readonly queue?: readonly (readonly Piece[])[];
  /** The number of blocks after this frame, so that Lua detects a missed frame. */
  readonly blocks: number;
}

/** The number of characters that a patch adds. */
export function patchSize(patch: Patch): number {
  if ('text' in patch) return patch.text.length;
  return 'lines' in patch ? patch.lines.reduce((sum, line) => sum + line.length + 1, 0) : 0;
}
