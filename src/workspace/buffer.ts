import { setTimeout as pause } from 'node:timers/promises';
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
  /** Only Neovim knows how its text is written on disk: by a plugin, or in a rare encoding. */
  readonly isApart?: boolean;
  readonly trouble?: string;
}

/** Bytes that are no UTF-8 would come back as something else. */
export function isLegible({ lines, bytes, isEnded }: BufferText): boolean {
  const known = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  return lines.length === 0 || known - (isEnded ? 0 : 1) === bytes;
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
  /** What became of the lines when they were saved, if that is another text. */
  readonly formatted?: readonly string[];
}

/** How long the user may be in the middle of a command, and how often it is looked whether they still are. */
const patience = { tries: 500, ms: 20 };

/** Makes a buffer hold a text, by the smallest edits and as one undo step, and saves it unless that is not wanted. */
export async function changeBuffer(
  editor: Editor,
  { buf, tick, lines: before }: BufferText,
  { lines, ending, isEnded, hasBom }: Document,
  isKeptUnsaved = false,
): Promise<BufferChange> {
  const edits = await editsBetween(before, lines);
  const isEmpty = lines.length === 0;
  const change = { buf, tick, edits, isEmpty, ending, isEnded, hasBom, isKeptUnsaved };
  const answer = await patiently(
    async () => (await editor.call('buffer.change', change)) as BufferChange | { status: 'busy' },
    ({ status }) => status === 'busy',
  );
  if (answer.status !== 'busy') return answer;
  return { status: 'failed', reason: 'the user is in the middle of a command there; try again' };
}

async function patiently<T>(act: () => Promise<T>, isBusy: (answer: T) => boolean): Promise<T> {
  let answer = await act();
  for (let tries = 1; tries < patience.tries && isBusy(answer); tries += 1) {
    await pause(patience.ms);
    answer = await act();
  }
  return answer;
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
  const follow = {
    ...{ path, buf, tick, ending, isEnded, hasBom, time: disk.time },
    edits: await editsBetween(before, lines),
    isEmpty: lines.length === 0,
    again: await editsBetween(lines, after),
    whole: await editsBetween(before, after),
  };
  const answer = await patiently(
    () => editor.call('buffer.follow', follow),
    (told) => told === 'busy',
  );
  return answer === 'done';
}
