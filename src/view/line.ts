/** Columns are bytes, as Neovim counts them. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Absent: the text is hidden unless the cursor is on its line. */
  readonly hl?: string;
}

/** A piece of text in one highlight group. */
export type Piece = readonly [text: string, hl: string];

/** One line of the chat: real text, with decoration that is not part of it. */
export interface Line {
  readonly text: string;
  readonly spans?: readonly Span[];
  /** Shown at the right edge of the window when there is room. */
  readonly right?: readonly Piece[];
  /** What it stands for, if one can go there: a change of its call, or a file. */
  readonly target?: Target;
}

export type Target =
  | { readonly diff: number; readonly row: number | undefined; readonly isHeading?: boolean }
  | { readonly path: string; readonly row: number | undefined };

export const blank: Line = { text: '' };

/** A line put together from pieces, each with its highlight. */
export function lineOf(...pieces: readonly Piece[]): Line {
  const spans: Span[] = [];
  let text = '';
  let column = 0;
  for (const [part, hl] of pieces) {
    const end = column + byteLength(part);
    if (hl !== '' && end > column) spans.push({ from: column, to: end, hl });
    text += part;
    column = end;
  }
  return spans.length === 0 ? { text } : { text, spans };
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

export function isSameLine(one: Line, other: Line): boolean {
  if (one === other) return true;
  if (one.text !== other.text) return false;
  return sameJson(one.spans, other.spans) && sameJson(one.right, other.right);
}

function sameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
