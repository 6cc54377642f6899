import fs from 'node:fs';
import path from 'node:path';
import type { SessionEvent } from './events.ts';
import { type JournalRecord, parseRecord } from './journal.ts';

/** What is worth knowing of a conversation stands at the beginning of its journal. */
const headBytes = 64 * 1024;

/** A conversation that was written down here. */
export interface ArchivedSession {
  readonly file: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  readonly title: string | undefined;
  readonly updatedAt: number;
}

/** The conversations in a folder of journals; those without a word of the user are none. */
export async function readArchive(folder: string): Promise<readonly ArchivedSession[]> {
  const names = await fs.promises.readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
  const sessions = await Promise.all(files.map(readSession));
  return sessions.filter((session) => session !== undefined);
}

async function readSession(file: string): Promise<ArchivedSession | undefined> {
  try {
    const { mtimeMs: updatedAt } = await fs.promises.stat(file);
    const facts = factsIn((await readHead(file)).split('\n').flatMap(parseRecord));
    return facts && { file, updatedAt, ...facts };
  } catch {
    // Another Neovim may have thrown it away meanwhile.
    return undefined;
  }
}

async function readHead(file: string): Promise<string> {
  const handle = await fs.promises.open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function factsIn(records: readonly JournalRecord[]) {
  const opened = lastOf(records, 'session_opened');
  const titled = lastOf(records, 'title')?.title;
  const asked = records.map(({ event }) => event).find(isUserText);
  if (!opened || !asked) return undefined;
  const { sessionId, agent, cwd } = opened;
  return { sessionId, agent, cwd, title: titled ?? asked.text };
}

function lastOf<Kind extends SessionEvent['kind']>(records: readonly JournalRecord[], kind: Kind) {
  const found = records.findLast(({ event }) => event.kind === kind);
  return found?.event as Extract<SessionEvent, { kind: Kind }> | undefined;
}

function isUserText(event: SessionEvent): event is Extract<SessionEvent, { text: string }> {
  return event.kind === 'turn_started' || (event.kind === 'chunk' && event.role === 'user');
}
