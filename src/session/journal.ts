import fs from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../base.ts';
import type { Clock, Log } from '../ports/host.ts';
import type { SessionEvent } from './events.ts';

const flushMs = 200;
const maxPending = 64 * 1024;
const keepMs = 30 * 24 * 60 * 60 * 1000;

export interface JournalRecord {
  readonly at: number;
  readonly event: SessionEvent;
}

/**
 * Writes down what happens in a session as it happens, so that a host that was killed loses a blink of it at most.
 * Chunks that follow each other are written as one.
 */
export class Journal implements Disposable {
  private readonly file: string;
  private readonly clock: Clock;
  private readonly log: Log;
  private pending: JournalRecord[] = [];
  /** The chunks that are still to be put together with the last record. */
  private chunks: string[] = [];
  private pendingSize = 0;
  private timer: Disposable | undefined;
  private hasFailed = false;

  constructor(file: string, clock: Clock, log: Log) {
    this.file = file;
    this.clock = clock;
    this.log = log;
  }

  /** A folder beside it, for what else is to be remembered of the session. */
  get changesFolder(): string {
    return changesFolder(this.file);
  }

  /** What was written before, as far as it can be read: the last line may be torn. */
  read(): readonly JournalRecord[] {
    return readJournal(this.file, this.log);
  }

  record(event: SessionEvent): void {
    if (event.kind === 'notice' && event.isPassing) return;
    // What is filled into a form is for the agent alone.
    if (event.kind === 'form_filled') return;
    if (event.kind === 'terminal' && event.patch.isPassing) return;
    const last = this.pending.at(-1);
    if (event.kind === 'chunk' && last && isSameMessage(last.event, event)) this.chunks.push(event.text);
    else {
      this.joinChunks();
      this.pending.push({ at: this.clock.now(), event });
    }
    this.pendingSize += event.kind === 'chunk' ? event.text.length : 100;
    if (this.pendingSize > maxPending || isMilestone(event)) this.flush();
    else this.timer ??= this.clock.after(flushMs, () => this.flush());
  }

  flush(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.joinChunks();
    // The newline comes first, so that a line torn by a kill takes no other with it.
    const lines = this.pending.map((record) => `\n${JSON.stringify(record)}`).join('');
    this.pending = [];
    this.pendingSize = 0;
    if (lines !== '' && !this.hasFailed) this.write(lines);
  }

  dispose(): void {
    this.flush();
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

  // A transcript that can't be kept is a pity, not a reason to stop.
  private write(lines: string): void {
    try {
      fs.mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
      fs.appendFileSync(this.file, lines, { mode: 0o600 });
    } catch (error) {
      this.hasFailed = true;
      this.log.error(`the transcript can't be kept in ${this.file}`, error);
    }
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

/** What a journal says; nothing where there is none. */
export function readJournal(file: string, log: Log): readonly JournalRecord[] {
  try {
    if (!fs.existsSync(file)) return [];
    return fs.readFileSync(file, 'utf8').split('\n').flatMap(parseRecord);
  } catch (error) {
    log.error(`the transcript in ${file} can't be read`, error);
    return [];
  }
}

/** Throws away the journals of a folder that nobody wrote to for a month, with what else is remembered of them. */
export async function pruneJournals(folder: string, now: number): Promise<void> {
  if (!fs.existsSync(folder)) return;
  for (const name of await fs.promises.readdir(folder)) {
    const file = path.join(folder, name);
    const isOurs = name.endsWith('.jsonl') || name.endsWith('.changes');
    const isOld = isOurs && (await fs.promises.stat(file)).mtimeMs < now - keepMs;
    if (isOld) await fs.promises.rm(file, { force: true, recursive: true });
  }
}

// What the user did and how it ended is written at once; what streams in between can wait a moment.
function isMilestone({ kind }: SessionEvent): boolean {
  return kind === 'turn_started' || kind === 'turn_ended' || kind === 'agent_gone';
}

function isSameMessage(last: SessionEvent, next: SessionEvent): boolean {
  if (last.kind !== 'chunk' || next.kind !== 'chunk') return false;
  return last.role === next.role && last.messageId === next.messageId;
}

export function parseRecord(line: string): readonly JournalRecord[] {
  try {
    const record = JSON.parse(line) as JournalRecord;
    return typeof record.event.kind === 'string' && typeof record.at === 'number' ? [record] : [];
  } catch {
    return [];
  }
}
