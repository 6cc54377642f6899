import type { Editor } from '../ports.ts';
import type { DiskText } from './disk.ts';
import { editsBetween } from './edits.ts';
import { type Document, documentOf } from './text.ts';

/** A buffer as Lua tells it. */
export interface BufferText extends Document {
  readonly buf: number;
  readonly tick: number;
  readonly bytes: number;
  readonly isModified: boolean;
  /** What its file was when it was last read or written. */
  readonly time: string;
  /** The file is still that. */
  readonly isCurrent: boolean;
  readonly trouble?: string;
}

/** Bytes that are no UTF-8 would come back as something else. */
export function isLegible({ lines, bytes }: BufferText): boolean {
  const known = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  return lines.length === 0 || known === bytes;
}

/** The loaded buffer of a file, if it is one that can be told line by line. */
export async function readBuffer(editor: Editor, path: string): Promise<BufferText | undefined> {
  const buffer = (await editor.call('buffer.read', { path })) as BufferText | null;
  return buffer && isLegible(buffer) ? buffer : undefined;
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

/**
 * Makes a buffer hold a text that takes in what is on disk, as one undo step; it is unsaved where it differs from that.
 * False when buffer or file have changed meanwhile.
 */
export async function adoptDisk(
  editor: Editor,
  path: string,
  { buf, tick, lines: before, ending: was }: BufferText,
  disk: DiskText,
  after: readonly string[],
): Promise<boolean> {
  const { lines, ending, isEnded, hasBom } = documentOf(disk.text, was);
  const answer = await editor.call('buffer.follow', {
    ...{ path, buf, tick, ending, isEnded, hasBom, time: disk.time },
    edits: editsBetween(before, lines),
    isEmpty: lines.length === 0,
    again: editsBetween(lines, after),
    whole: editsBetween(before, after),
  });
  return answer === true;
}
