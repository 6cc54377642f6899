import fs from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../base.ts';
import { messageOf } from '../errors.ts';
import type { Clock, Log } from '../ports/host.ts';
import { eventChecks } from './event-checks.ts';
import type { NoticeEvent, SessionEvent } from './events.ts';
import { JournalReader, type JournalRecord, type StoredRecord } from './journal-reader.ts';
import { notWritten, writtenAgain } from './notices.ts';
import { ToolBases } from './tool-growth.ts';

/** A chat that is drawn is written with each frame, one that is hidden at this pace. */
const flushMs = 20;
const retryMs = 1_000;
const maxPending = 64 * 1024;

/**
 * Writes down what happens in a session as it happens, so that a host that was killed loses a blink of it at most.
 * Chunks that follow each other are written as one. What can't be written is kept and written when it can.
 */
export class Journal implements Disposable {
  /** Told when the journal can't be written, and when it can be again. */
  onTrouble: (notice: NoticeEvent) => void = () => undefined;
  readonly file: string;
  private readonly clock: Clock;
  private readonly log: Log;
  private pending: JournalRecord[] = [];
  /** The chunks that are still to be put together with the last record. */
  private chunks: string[] = [];
  private pendingSize = 0;
  private readonly tools = new ToolBases();
  /** What is to be written to the file next; after a failure it begins in the middle of what failed. */
  private unwritten: Buffer[] = [];
  private timer: Disposable | undefined;
  private hasFailed = false;
  private isEnded = false;

  constructor(file: string, clock: Clock, log: Log) {
    this.file = file;
    this.clock = clock;
    this.log = log;
  }

  /** A folder beside it, for what else is to be remembered of the session. */
  get changesFolder(): string {
    return changesFolder(this.file);
  }

  /** What was written before. */
  reader(): JournalReader {
    return new JournalReader(this.file, this.log);
  }

  /** Begins with all that stands in another journal. */
  adopt(file: string): void {
    try {
      fs.closeSync(openAppend(this.file));
      fs.copyFileSync(file, this.file, fs.constants.COPYFILE_FICLONE);
    } catch (error) {
      this.log.error(`the transcript in ${file} was not copied to ${this.file}`, error);
      this.tell(notWritten(messageOf(error)));
    }
  }

  record(event: SessionEvent): void {
    if (this.isEnded) return;
    if (eventChecks[event.kind] === false) return;
    if (event.kind === 'notice' && event.isPassing) return;
    if (event.kind === 'terminal' && event.patch.isPassing) return;
    const last = this.pending.at(-1);
    if (event.kind === 'chunk' && last && isSameMessage(last.event, event)) this.chunks.push(event.text);
    else {
      this.joinChunks();
      this.pending.push({ at: this.clock.now(), event });
    }
    this.pendingSize += event.kind === 'chunk' ? event.text.length : 100;
    if (this.pendingSize > maxPending || isMilestone(event)) this.flush();
    else this.timer ??= this.clock.after(this.hasFailed ? retryMs : flushMs, () => this.flush());
  }

  flush(): void {
    if (this.isEnded) return;
    this.timer?.dispose();
    this.timer = undefined;
    this.joinChunks();
    const lines = this.pending.map((record) => this.lineOf(record)).join('');
    this.pending = [];
    this.pendingSize = 0;
    if (lines !== '') this.unwritten.push(Buffer.from(lines));
    if (this.unwritten.length > 0) this.write();
  }

  /** Writes what is pending, and nothing after that. */
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

  // The newline comes first, so that a line torn by a kill takes no other with it. Too much text for one string is the
  // trouble of one record alone.
  private lineOf(record: JournalRecord): string {
    try {
      return `\n${JSON.stringify(this.stored(record))}`;
    } catch (error) {
      this.log.error(`a ${record.event.kind} was not written to ${this.file}`, error);
      return '';
    }
  }

  private stored({ at, event }: JournalRecord): StoredRecord {
    if (event.kind === 'agent_starting') this.tools.clear();
    if (event.kind !== 'tool') return { at, event };
    const { patch, grown } = this.tools.shrink(event.patch);
    return grown ? { at, event: { ...event, patch }, grown } : { at, event };
  }

  // A transcript that can't be kept is a pity, not a reason to stop.
  private write(): void {
    try {
      const fd = openAppend(this.file);
      try {
        this.writeTo(fd);
      } finally {
        fs.closeSync(fd);
      }
      if (this.hasFailed) this.tell(writtenAgain);
      this.hasFailed = false;
    } catch (error) {
      if (!this.hasFailed) {
        this.log.error(`the transcript can't be kept in ${this.file}`, error);
        this.tell(notWritten(messageOf(error)));
      }
      this.hasFailed = true;
      this.timer ??= this.clock.after(retryMs, () => this.flush());
    }
  }

  // A full disk may take a part of it.
  private writeTo(fd: number): void {
    for (let next = this.unwritten[0]; next; next = this.unwritten[0]) {
      const rest = next.subarray(fs.writeSync(fd, next));
      if (rest.length > 0) this.unwritten[0] = rest;
      else this.unwritten.shift();
    }
  }

  // What was recorded last is still being taken in.
  private tell(notice: NoticeEvent): void {
    queueMicrotask(() => this.onTrouble(notice));
  }
}

function openAppend(file: string): number {
  try {
    return fs.openSync(file, 'a', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    return fs.openSync(file, 'a', 0o600);
  }
}

export function changesFolder(journal: string): string {
  return journal.replace(/(\.jsonl)?$/, '.changes');
}

/** Removes a journal, with what else is remembered of the session. */
export async function forgetJournal(journal: string): Promise<void> {
  await fs.promises.rm(journal, { force: true });
  await fs.promises.rm(changesFolder(journal), { force: true, recursive: true });
}

const milestones = new Set<SessionEvent['kind']>([
  'prompt_queued',
  'turn_started',
  'turn_ended',
  'agent_gone',
]);

// What the user did and how it ended is written at once; what streams in between can wait a moment.
function isMilestone({ kind }: SessionEvent): boolean {
  return milestones.has(kind);
}

function isSameMessage(last: SessionEvent, next: SessionEvent): boolean {
  if (last.kind !== 'chunk' || next.kind !== 'chunk') return false;
  if (last.isWhole || next.isWhole) return false;
  return last.role === next.role && last.messageId === next.messageId;
}
