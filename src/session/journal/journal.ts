import fs from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import { withoutContent } from '../../model/prompt.ts';
import type { NoticeEvent, SessionEvent } from '../../model/session-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { openForAppending, openRegularFile } from '../../system/files/regular-file.ts';
import { journalNotWritable, journalWritable } from '../notices.ts';
import { attachmentsFolder } from './attachment-files.ts';
import { eventChecks } from './event-checks.ts';
import { copyWithoutSession } from './fork.ts';
import { JournalReader, type JournalRecord, type StoredRecord } from './reader.ts';
import { type CallIds, type CallPlace, RecordPlaces } from './record-places.ts';
import { ToolPatchDelta } from './tool-patch-delta.ts';

/** A visible chat flushes its journal with each frame, a hidden one at this interval. */
const flushMs = 20;
const retryMs = 1_000;
const maxPending = 64 * 1024;

/**
 * Writes the events of a chat to a file, so that a killed host loses only the last milliseconds. Consecutive chunks are
 * joined to one record. Records that can't be written are kept and retried.
 */
export class Journal implements Disposable {
  /** Called when writing starts to fail, and when it works again. */
  onWriteStateChange: (notice: NoticeEvent) => void = () => undefined;
  readonly file: string;
  readonly isKept: boolean;
  /** The time of the first record, which a journal shares with those that it continues. */
  begunAt: number | undefined;
  private readonly clock: Clock;
  private readonly log: Log;
  private pending: JournalRecord[] = [];
  /** Chunks that will be joined to the last pending record. */
  private chunks: string[] = [];
  private pendingSize = 0;
  private readonly tools = new ToolPatchDelta();
  private places = new RecordPlaces();
  /** The length of the file once everything is written. Undefined before the first record. */
  private end: number | undefined;
  /** Bytes to write next. After a partial write the first buffer is the unwritten rest. */
  private unwritten: Buffer[] = [];
  private timer: Disposable | undefined;
  private hasFailed = false;
  private isEnded = false;

  /** `isKept`: false for a private chat, of which nothing is written. */
  constructor(file: string, clock: Clock, log: Log, isKept = true) {
    this.file = file;
    this.isKept = isKept;
    this.clock = clock;
    this.log = log;
  }

  /** The folder beside the journal with the tracked changes of the session. */
  get changesFolder(): string {
    return changesFolder(this.file);
  }

  reader(): JournalReader {
    return new JournalReader(this.file, this.log);
  }

  /** Starts this journal as a copy of another one. `isFork`: it is the journal of another session. */
  copyFrom(file: string, isFork = false): void {
    if (!this.isKept) return;
    // A host that is killed meanwhile leaves no part of it: the next one copies it again.
    const copy = `${this.file}.new`;
    try {
      fs.rmSync(copy, { force: true });
      fs.closeSync(openAppend(copy));
      if (isFork) copyWithoutSession(file, copy);
      else copyRegular(file, copy);
      fs.renameSync(copy, this.file);
    } catch (error) {
      this.log.error(`could not copy the journal ${file} to ${this.file}`, error);
      deleteIfPossible(copy);
      this.report(journalNotWritable(messageOf(error)));
    }
  }

  /** Takes the places of the records that the file has already. */
  usePlaces(places: RecordPlaces): void {
    this.places = places;
  }

  record(event: SessionEvent): void {
    if (this.isEnded || !this.isKept) return;
    if (eventChecks[event.kind] === false) return;
    if (event.kind === 'notice' && event.isNotJournaled) return;
    if (event.kind === 'terminal' && event.patch.isNotJournaled) return;
    const now = this.clock.now();
    this.begunAt ??= now;
    const last = this.pending.at(-1);
    if (event.kind === 'chunk' && last && isSameMessage(last.event, event)) this.chunks.push(event.text);
    else {
      this.joinChunks();
      this.pending.push({ at: now, event });
    }
    this.pendingSize += event.kind === 'chunk' ? event.text.length : 100;
    if (this.pendingSize > maxPending || isWrittenImmediately(event)) this.flush();
    else this.timer ??= this.clock.after(this.hasFailed ? retryMs : flushMs, () => this.flush());
  }

  flush(): void {
    if (this.isEnded) return;
    this.timer?.dispose();
    this.timer = undefined;
    this.joinChunks();
    if (this.pending.length > 0 && this.unwritten.length === 0) this.findEnd();
    const lines = this.pending.map((record) => this.placeRecord(record)).join('');
    this.pending = [];
    this.pendingSize = 0;
    if (lines !== '') this.unwritten.push(Buffer.from(lines));
    if (this.unwritten.length > 0) this.write();
  }

  /** Writes the pending records. Later records are dropped. */
  dispose(): void {
    this.flush();
    this.isEnded = true;
    this.timer?.dispose();
  }

  private joinChunks(): void {
    const last = this.pending.pop();
    if (!last) return;
    const { event } = last;
    const isLonger = event.kind === 'chunk' && this.chunks.length > 0;
    this.pending.push(
      isLonger ? { ...last, event: { ...event, text: event.text + this.chunks.join('') } } : last,
    );
    this.chunks = [];
  }

  /** The records of a call and its terminals. Undefined if they are not on disk, for example on a full one. */
  placeOf(ids: CallIds): CallPlace | undefined {
    this.flush();
    const place = this.places.of(ids);
    const unwritten = this.unwritten.reduce((sum, { length }) => sum + length, 0);
    const isWritten = (to: number) => unwritten === 0 || to <= (this.end ?? 0) - unwritten;
    return place?.parts.every(({ to }) => isWritten(to)) ? place : undefined;
  }

  private placeRecord(record: JournalRecord): string {
    const line = this.formatRecord(record);
    const from = this.end ?? 0;
    this.end = from + Buffer.byteLength(line);
    if (line !== '') this.places.note(record.event, { from, to: this.end });
    return line;
  }

  // Another Neovim may have deleted the file. Then the next one begins with whole patches.
  private findEnd(): void {
    const size = sizeOfFile(this.file);
    if (this.end !== undefined && this.end !== size) {
      this.places.forget();
      this.tools.clear();
    }
    this.end = size;
  }

  // The newline comes first, so that an incomplete line does not damage the next one. A record that is too long for one
  // string is skipped.
  private formatRecord(record: JournalRecord): string {
    try {
      return `\n${JSON.stringify(this.shrinkRecord(record))}`;
    } catch (error) {
      this.log.error(`could not write an event to the journal ${this.file} (${record.event.kind})`, error);
      return '';
    }
  }

  private shrinkRecord({ at, event }: JournalRecord): StoredRecord {
    if (event.kind === 'agent_starting') this.tools.clear();
    if (event.kind === 'queue_changed') {
      return { at, event: { ...event, prompts: event.prompts.map(withoutContent) } };
    }
    if (event.kind === 'prompt_queued' || event.kind === 'turn_started' || event.kind === 'prompt_injected') {
      return { at, event: withoutContent(event) };
    }
    if (event.kind !== 'tool') return { at, event };
    const { patch, grown } = this.tools.shrink(event.patch);
    return grown ? { at, event: { ...event, patch }, grown } : { at, event };
  }

  // A failed write is retried; the chat continues.
  private write(): void {
    try {
      const fd = openAppend(this.file);
      try {
        this.writeTo(fd);
      } finally {
        fs.closeSync(fd);
      }
      if (this.hasFailed) this.report(journalWritable);
      this.hasFailed = false;
    } catch (error) {
      if (!this.hasFailed) {
        this.log.error(`could not write the journal ${this.file}`, error);
        this.report(journalNotWritable(messageOf(error)));
      }
      this.hasFailed = true;
      this.timer ??= this.clock.after(retryMs, () => this.flush());
    }
  }

  // A full disk may accept only a part.
  private writeTo(fd: number): void {
    for (let next = this.unwritten[0]; next; next = this.unwritten[0]) {
      const rest = next.subarray(fs.writeSync(fd, next));
      if (rest.length > 0) this.unwritten[0] = rest;
      else this.unwritten.shift();
    }
  }

  // Deferred, because the event that caused the write is still being applied.
  private report(notice: NoticeEvent): void {
    queueMicrotask(() => this.onWriteStateChange(notice));
  }
}

// Copying a pipe would wait for ever.
function copyRegular(file: string, copy: string): void {
  fs.closeSync(openRegularFile(file).fd);
  fs.copyFileSync(file, copy, fs.constants.COPYFILE_FICLONE);
}

function openAppend(file: string): number {
  try {
    return openForAppending(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    return openForAppending(file);
  }
}

// A file that can't be read can't be written either, which is reported then.
function sizeOfFile(file: string): number {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

// On a disk that has become read-only it can't be deleted.
function deleteIfPossible(file: string): void {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // Pruning deletes it later.
  }
}

export function changesFolder(journal: string): string {
  return journal.replace(/(\.jsonl)?$/, '.changes');
}

/** Deletes a journal and its folders: tracked changes and attachments. */
export async function deleteJournal(journal: string): Promise<void> {
  await fs.promises.rm(journal, { force: true });
  for (const folder of [changesFolder(journal), attachmentsFolder(journal)]) {
    await fs.promises.rm(folder, { force: true, recursive: true });
  }
}

const immediateKinds = new Set<SessionEvent['kind']>([
  'prompt_queued',
  'queue_changed',
  'queue_cleared',
  'prompt_injected',
  'turn_started',
  'prompt_sent',
  'turn_ended',
  'agent_gone',
]);

function isWrittenImmediately({ kind }: SessionEvent): boolean {
  return immediateKinds.has(kind);
}

function isSameMessage(last: SessionEvent, next: SessionEvent): boolean {
  if (last.kind !== 'chunk' || next.kind !== 'chunk') return false;
  if (last.isCompleteMessage || next.isCompleteMessage) return false;
  return last.role === next.role && last.messageId === next.messageId;
}
