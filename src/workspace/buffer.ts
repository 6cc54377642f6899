import type { Editor } from '../ports.ts';
import { editsBetween } from './edits.ts';
import type { Document } from './text.ts';

/** A buffer as Lua tells it. */
export interface BufferText extends Document {
  readonly buf: number;
  readonly tick: number;
  readonly bytes: number;
  readonly isModified: boolean;
  /** It was read from, or written to, what is on disk now. */
  readonly isCurrent: boolean;
  readonly trouble?: string;
}

/** Bytes that are no UTF-8 would come back as something else. */
export function isLegible({ lines, bytes }: BufferText): boolean {
  const known = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  return lines.length === 0 || known === bytes;
}

export interface BufferChange {
  /** `kept`: it holds the text, unsaved. `changed`: it is not what it was any more, and nothing was done. */
  readonly status: 'saved' | 'kept' | 'changed' | 'failed';
  readonly reason?: string;
}

/** Makes a buffer hold a text, by the smallest edits and as one undo step, and saves it unless that is not wanted. */
export async function changeBuffer(
  editor: Editor,
  { buf, tick, lines: before }: BufferText,
  { lines, ending, isEnded, hasBom }: Document,
  isKeptUnsaved = false,
): Promise<BufferChange> {
  const edits = editsBetween(before, lines);
  const isEmpty = lines.length === 0;
  const change = { buf, tick, edits, isEmpty, ending, isEnded, hasBom, isKeptUnsaved };
  return (await editor.call('buffer.change', change)) as BufferChange;
}
