import { setTimeout as pause } from 'node:timers/promises';
import type { Editor } from '../ports/host.ts';
import type { DiskText } from './disk.ts';
import { editsBetween } from './edits.ts';
import { type Document, documentOf } from './text.ts';

/** A buffer of the user's. */
export interface BufferText extends Document {
  /** Where its file really is. */
  readonly path: string;
  readonly buf: number;
  readonly tick: number;
  readonly isModified: boolean;
  /** What its file was when it was last read or written. */
  readonly time: string;
  /** The file is still that. */
  readonly isCurrent: boolean;
  /** Only Neovim knows how its text is written on disk: by a plugin, or in a rare encoding. */
  readonly isApart?: boolean;
  /** Bytes that are no UTF-8 would come back as something else. */
  readonly isLegible: boolean;
  readonly trouble?: string;
}

/** What Lua tells of it. */
interface BufferAnswer extends Omit<BufferText, 'path' | 'lines' | 'isLegible'> {
  /** The lines with newlines between them; absent when they are known, or none. */
  readonly joined?: string;
  readonly isKnown: boolean;
  /** How often U+FFFD is in it; absent when it is known not to be UTF-8. */
  readonly marks?: number;
}

export interface BufferRequest {
  readonly path: string;
  /** The chat that is told when the file changes on disk below unsaved text. */
  readonly guard?: number;
}

/** The loaded buffer of a file. Lines that are known from before are not told again. */
export async function readBuffer(
  editor: Editor,
  request: BufferRequest,
  last?: BufferText,
): Promise<BufferText | undefined> {
  const known = last && { buf: last.buf, tick: last.tick };
  const answer = (await editor.call('buffer.read', {
    ...request,
    ...(known && { known }),
  })) as BufferAnswer | null;
  if (!answer) return undefined;
  const { joined = '', isKnown, marks, ...facts } = answer;
  const rest = { ...facts, path: request.path };
  if (isKnown && last) return { ...rest, lines: last.lines, isLegible: last.isLegible };
  const isLegible = joined.split('\ufffd').length - 1 === marks;
  return { ...rest, lines: answer.joined === undefined ? [] : joined.split('\n'), isLegible };
}

/** The loaded buffer of a file, if it is one that can be told line by line. */
export async function legibleBuffer(editor: Editor, path: string): Promise<BufferText | undefined> {
  const buffer = await readBuffer(editor, { path });
  return buffer?.isLegible ? buffer : undefined;
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

export interface ChangeOptions {
  /** Nothing is saved. */
  readonly isKeptUnsaved?: boolean;
  /** What the file was when it was read: if it is another now, the buffer counts as changed. */
  readonly time?: string;
  /** The lines that the buffer holds in the end. The text alone is saved, without formatters, and these stay unsaved. */
  readonly unsaved?: readonly string[];
}

/** Makes a buffer hold a text, by the smallest edits and as one undo step, and saves it unless that is not wanted. */
export async function changeBuffer(
  editor: Editor,
  { path, buf, tick, lines: before }: BufferText,
  { lines, ending, isEnded, hasBom }: Document,
  { isKeptUnsaved = false, time, unsaved }: ChangeOptions = {},
): Promise<BufferChange> {
  const edits = await editsBetween(before, lines);
  const isEmpty = lines.length === 0;
  const change = {
    ...{ path, buf, tick, edits, isEmpty, ending, isEnded, hasBom, isKeptUnsaved },
    ...(time !== undefined && { time }),
    ...(unsaved && { unsaved: await unsavedEdits(before, lines, unsaved) }),
  };
  const answer = await patiently(
    async () => (await editor.call('buffer.change', change)) as BufferChange | { status: 'busy' },
    ({ status }) => status === 'busy',
  );
  if (answer.status !== 'busy') return answer;
  return { status: 'failed', reason: 'the user is in the middle of a command there; try again' };
}

async function unsavedEdits(before: readonly string[], saved: readonly string[], unsaved: readonly string[]) {
  const [edits, whole] = await Promise.all([editsBetween(saved, unsaved), editsBetween(before, unsaved)]);
  return { edits, whole, isEmpty: unsaved.length === 0 };
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
    isEmptyAgain: after.length === 0 && lines.length > 0,
    whole: await editsBetween(before, after),
  };
  const answer = await patiently(
    () => editor.call('buffer.follow', follow),
    (told) => told === 'busy',
  );
  return answer === 'done';
}
