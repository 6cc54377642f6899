import type { PictureSize } from '../model/prompt.ts';
import type { CodeRange, Piece } from '../ports/frame.ts';

/** Columns are byte offsets, as in Neovim. */
export interface Span {
  readonly from: number;
  /** -1: to the right edge of the window, behind all other colours. */
  readonly to: number;
  /** Absent: the text is concealed unless the cursor is on its line. */
  readonly hl?: string;
  /** Shown instead of the text, unless the cursor is on its line: one character, or `=` and a text of the same width. */
  readonly shownAs?: string;
}

/** The mark of a span in a patch. */
export function markOf({ hl, shownAs }: Span): string {
  return hl ?? shownAs ?? '';
}

/** One line of a buffer: its text, and decoration that is not part of the text. */
export interface Line {
  readonly text: string;
  readonly spans?: readonly Span[];
  /** Shown at the right edge of the window if there is room. */
  readonly right?: readonly Piece[];
  /** Where a key on this line leads: a diff of the tool call, or a file. */
  readonly target?: LineTarget;
  /** Shown below this line if Neovim can show pictures. */
  readonly picture?: LinePicture;
  /** Lines in a row with the same object are one piece of code. */
  readonly code?: LineCode;
}

export type LineCode = Omit<CodeRange, 'from' | 'to'>;

export interface LinePicture {
  readonly path: string;
  readonly pixels: PictureSize | undefined;
}

export type LineTarget = ToolTarget | AttachmentTarget;

export type ToolTarget =
  | { readonly diff: number; readonly row: number | undefined; readonly isHeading?: boolean }
  | { readonly path: string; readonly row: number | undefined };

/** `isMedia`: a picture or a sound, which Neovim can't show in a buffer. `isOurs`: a file that the plugin has written. */
export type AttachmentTarget =
  | {
      readonly file: string;
      readonly line: number | undefined;
      readonly isMedia: boolean;
      readonly isOurs: boolean;
    }
  | { readonly url: string };

export const blank: Line = { text: '' };

/** A line made of pieces, each with its highlight. */
export function makeLine(...pieces: readonly Piece[]): Line {
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

/** The lines with blanks in front. A colour that reaches to the right edge still begins at the left edge. */
export function indentLines(lines: readonly Line[], cells: number): readonly Line[] {
  if (cells === 0) return lines;
  // Lines in a row with the same code have the same object, before and after.
  const codes = new Map<LineCode, LineCode>();
  const moved = (code: LineCode) => {
    const known = codes.get(code) ?? { ...code, indent: code.indent + cells };
    codes.set(code, known);
    return known;
  };
  return lines.map((line) => ({
    ...line,
    text: `${' '.repeat(cells)}${line.text}`,
    ...(line.spans && { spans: line.spans.map((span) => moveSpan(span, cells)) }),
    ...(line.code && { code: moved(line.code) }),
  }));
}

function moveSpan(span: Span, cells: number): Span {
  return span.to === -1 ? span : { ...span, from: span.from + cells, to: span.to + cells };
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

export function isSameLine(one: Line, other: Line): boolean {
  if (one === other) return true;
  if (one.text !== other.text) return false;
  if (one.picture?.path !== other.picture?.path) return false;
  if (one.code?.language !== other.code?.language) return false;
  return sameJson(one.spans, other.spans) && sameJson(one.right, other.right);
}

function sameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
