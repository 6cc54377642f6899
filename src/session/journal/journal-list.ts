import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turnOfEvents } from 'node:timers/promises';
import type { SessionEvent } from '../../model/session-events.ts';
import { isOfOtherNeovim } from './journal-name.ts';
import { parseRecord, readJournalLines } from './reader.ts';

/** The last title and session id are searched in this much of the end of a journal. */
const tailBytes = 256 * 1024;
/** The session id and the first prompt are searched in this much of its beginning. */
const maxHeadBytes = 64 * 1024 * 1024;

/** A session that has a journal. */
export interface JournaledSession {
  readonly file: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  /** The title that the agent gave it. */
  readonly title: string | undefined;
  /** The title that the user gave it. */
  readonly chosenTitle?: string | undefined;
  /** The first prompt. */
  readonly firstPrompt?: string | undefined;
  /** The time of its first record, which a journal shares with those that continue it. */
  readonly begunAt?: number | undefined;
  readonly updatedAt: number;
  readonly isOpenElsewhere?: boolean | undefined;
}

interface JournalListOptions {
  /** Also list sessions without a prompt. */
  readonly includesEmpty?: boolean;
  /** The process id of this Neovim, to find out which sessions another one has open. */
  readonly pid?: number;
}

/** The sessions in a folder of journals. */
export async function listJournaledSessions(
  folder: string,
  { includesEmpty = false, pid }: JournalListOptions = {},
): Promise<readonly JournaledSession[]> {
  const names = await fs.promises.readdir(folder).catch(() => []);
  const sessions: JournaledSession[] = [];
  for (const name of names.filter((one) => one.endsWith('.jsonl'))) {
    const file = path.join(folder, name);
    const session = summariseJournal(file);
    const isOpenElsewhere = pid === undefined ? undefined : isOfOtherNeovim(file, pid);
    if (session && (includesEmpty || session.firstPrompt !== undefined))
      sessions.push({ ...session, isOpenElsewhere });
    // Yield between files, so that many journals do not block the host.
    await turnOfEvents();
  }
  return sessions;
}

function summariseJournal(file: string): JournaledSession | undefined {
  try {
    const { mtimeMs: updatedAt, size } = fs.statSync(file);
    const head = new JournalFacts();
    for (const { bytes } of readJournalLines(file, 0, maxHeadBytes)) {
      head.addRecord(bytes);
      if (head.isComplete) break;
    }
    if (!head.opened) return undefined;
    const tail = new JournalFacts();
    for (const { bytes } of readJournalLines(file, Math.max(0, size - tailBytes))) tail.addRecord(bytes);
    const { sessionId, agent, cwd } = tail.opened ?? head.opened;
    const { firstPrompt, begunAt } = head;
    const title = tail.title ?? head.title;
    const chosenTitle = tail.chosenTitle === undefined ? head.chosenTitle : tail.chosenTitle || undefined;
    return { file, sessionId, agent, cwd, title, chosenTitle, firstPrompt, begunAt, updatedAt };
  } catch {
    // Another Neovim may have deleted it meanwhile.
    return undefined;
  }
}

/** What the records of a journal say about the whole session. */
class JournalFacts {
  opened: Extract<SessionEvent, { kind: 'session_opened' }> | undefined;
  title: string | undefined;
  firstPrompt: string | undefined;
  begunAt: number | undefined;
  /** Empty: the user has left the title to the agent again. */
  chosenTitle: string | undefined;

  get isComplete(): boolean {
    return this.opened !== undefined && this.firstPrompt !== undefined;
  }

  addRecord(line: Buffer): void {
    const { at, event } = parseRecord(line) || {};
    this.begunAt ??= at;
    if (event?.kind === 'session_opened') this.opened = event;
    else if (event?.kind === 'title') this.addTitle(event);
    else if (event && isUserText(event)) this.firstPrompt ??= event.text;
  }

  private addTitle({ title, isChosen }: Extract<SessionEvent, { kind: 'title' }>): void {
    if (isChosen !== true) this.title = title ?? this.title;
    if (isChosen !== undefined) this.chosenTitle = isChosen ? (title ?? '') : '';
  }
}

function isUserText(event: SessionEvent): event is Extract<SessionEvent, { text: string }> {
  return event.kind === 'turn_started' || (event.kind === 'chunk' && event.role === 'user');
}
