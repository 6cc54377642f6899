import { sleep } from '../../base/timeout.ts';
import { computeEdits } from '../../diff/minimal-edits.ts';
import type { Editor } from '../../ports/editor.ts';
import type { BufferAnswer } from '../../ports/editor-operations.ts';
import type { DiskText } from './disk.ts';
import { type Document, exactDocumentOf } from './document.ts';

/** A loaded buffer of the user and the state of its file. */
export interface BufferText extends Document {
  /** The real path of its file. */
  readonly path: string;
  readonly buf: number;
  readonly tick: number;
  readonly isModified: boolean;
  /** The time of the file when the buffer was last read from it or written to it. */
  readonly time: string;
  /** The file still has that time. */
  readonly isCurrent: boolean;
  /** Only Neovim knows how the text is stored on disk: a plugin writes it, or the encoding is a rare one. */
  readonly isOpaque?: boolean;
  /** False: the buffer has bytes that are not UTF-8, which would be changed by a round trip through the host. */
  readonly isLegible: boolean;
  /** Why the buffer can't be changed, if it can't. */
  readonly trouble?: string;
}

export interface BufferRequest {
  readonly path: string;
  /** The chat that is notified when the file changes on disk under unsaved text. */
  readonly watcher?: number;
}

/** The buffer that shows a file, and the other Neovim that has unsaved changes of the same file. */
export interface WriteTarget {
  readonly buffer: BufferText | undefined;
  readonly otherEditor: { readonly pid: number } | undefined;
}

/** The loaded buffer of a file. Neovim does not send lines that the host has from `last`. */
export async function readBuffer(
  editor: Editor,
  request: BufferRequest,
  last?: BufferText,
): Promise<BufferText | undefined> {
  return bufferFrom(await editor.call('buffer.read', withKnown(request, last)), request, last);
}

/** Everything in Neovim that a write to a file depends on, in one round trip. */
export async function readWriteTarget(
  editor: Editor,
  request: BufferRequest,
  last?: BufferText,
): Promise<WriteTarget> {
  const { buffer, otherEditor } = await editor.call('buffer.write_target', withKnown(request, last));
  return { buffer: bufferFrom(buffer, request, last), otherEditor };
}

function withKnown(request: BufferRequest, last: BufferText | undefined) {
  return { ...request, ...(last && { known: { buf: last.buf, tick: last.tick } }) };
}

/** What Neovim has answered about the buffer of a file. */
export function bufferFrom(
  answer: BufferAnswer | undefined,
  { path }: BufferRequest,
  last: BufferText | undefined,
): BufferText | undefined {
  if (!answer) return undefined;
  const { joined = '', isKnown, marks, ...facts } = answer;
  if (isKnown && last) return { ...facts, path, lines: last.lines, isLegible: last.isLegible };
  const isLegible = joined.split('\ufffd').length - 1 === marks;
  return { ...facts, path, lines: answer.joined === undefined ? [] : joined.split('\n'), isLegible };
}

interface BufferChange {
  /** `kept`: the buffer holds the text, unsaved. `changed`: buffer or file have changed meanwhile, nothing was done. */
  readonly status: 'saved' | 'kept' | 'changed' | 'failed';
  readonly reason?: string;
  /** The lines after saving, if that changed them (a formatter). */
  readonly formatted?: readonly string[];
}

/** How long a change waits for the user to end a pending command, and how often it tries. */
const retry = { tries: 500, ms: 20 };

export interface ChangeOptions {
  /** The buffer is not saved. */
  readonly isKeptUnsaved?: boolean;
  /** The time of the file when the host read it. If it is another now, the answer is `changed`. */
  readonly time?: string;
  /** The lines that the buffer holds in the end, unsaved. The file gets the other text, without formatters. */
  readonly unsaved?: readonly string[];
}

/** Makes a buffer hold a text, by the smallest edits and as one undo step, and saves it unless `isKeptUnsaved`. */
export async function changeBuffer(
  editor: Editor,
  { path, buf, tick, lines: before }: BufferText,
  { lines, ending, isEnded, hasBom }: Document,
  { isKeptUnsaved = false, time, unsaved }: ChangeOptions = {},
): Promise<BufferChange> {
  const edits = await computeEdits(before, lines);
  const isEmpty = lines.length === 0;
  const change = {
    ...{ path, buf, tick, edits, isEmpty, ending, isEnded, hasBom, isKeptUnsaved },
    ...(time !== undefined && { time }),
    ...(unsaved && { unsaved: await unsavedEdits(before, lines, unsaved) }),
  };
  const answer = await retryWhileBusy(
    () => editor.call('buffer.change', change),
    ({ status }) => status === 'busy',
  );
  const { status } = answer;
  if (status !== 'busy') return { ...answer, status };
  return { status: 'failed', reason: 'the user is in the middle of a command there; try again' };
}

async function unsavedEdits(before: readonly string[], saved: readonly string[], unsaved: readonly string[]) {
  const [edits, whole] = await Promise.all([computeEdits(saved, unsaved), computeEdits(before, unsaved)]);
  return { edits, whole, isEmpty: unsaved.length === 0 };
}

async function retryWhileBusy<T>(act: () => Promise<T>, isBusy: (answer: T) => boolean): Promise<T> {
  let answer = await act();
  for (let tries = 1; tries < retry.tries && isBusy(answer); tries += 1) {
    await sleep(retry.ms);
    answer = await act();
  }
  return answer;
}

/**
 * Makes a buffer hold `after`, which contains the text of the disk, as one undo step. Where the two differ the buffer
 * is unsaved. False when buffer or file have changed meanwhile.
 */
export async function adoptDisk(
  editor: Editor,
  { path, buf, tick, lines: before, ending: was }: BufferText,
  disk: DiskText,
  after: readonly string[],
): Promise<boolean> {
  const { lines, ending, isEnded, hasBom } = exactDocumentOf(disk.text, was);
  const sync = {
    ...{ path, buf, tick, ending, isEnded, hasBom, time: disk.time },
    edits: await computeEdits(before, lines),
    isEmpty: lines.length === 0,
    again: await computeEdits(lines, after),
    isEmptyAgain: after.length === 0 && lines.length > 0,
    whole: await computeEdits(before, after),
  };
  const answer = await retryWhileBusy(
    () => editor.call('buffer.sync', sync),
    (status) => status === 'busy',
  );
  return answer === 'done';
}
