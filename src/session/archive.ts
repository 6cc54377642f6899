import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turnOfEvents } from 'node:timers/promises';
import type { SessionEvent } from './events.ts';
import { linesOf, storedIn } from './journal-reader.ts';

/** What was said last of a conversation is looked for in so much of the end of its journal. */
const tailBytes = 256 * 1024;

/** A conversation that was written down here. */
export interface ArchivedSession {
  readonly file: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  /** What its agent calls it. */
  readonly title: string | undefined;
  /** What the user said first. */
  readonly firstPrompt?: string | undefined;
  readonly updatedAt: number;
}

/** The conversations in a folder of journals; those without a word of the user are none. */
export async function readArchive(folder: string): Promise<readonly ArchivedSession[]> {
  const names = await fs.promises.readdir(folder).catch(() => []);
  const sessions: ArchivedSession[] = [];
  for (const name of names.filter((one) => one.endsWith('.jsonl'))) {
    const session = readSession(path.join(folder, name));
    if (session) sessions.push(session);
    // There may be many, and what else goes on must not wait for all of them.
    await turnOfEvents();
  }
  return sessions;
}

function readSession(file: string): ArchivedSession | undefined {
  try {
    const { mtimeMs: updatedAt, size } = fs.statSync(file);
    const head = new Facts();
    for (const { bytes } of linesOf(file)) {
      head.take(bytes);
      if (head.isComplete) break;
    }
    if (!head.opened || head.firstPrompt === undefined) return undefined;
    const tail = new Facts();
    for (const { bytes } of linesOf(file, Math.max(0, size - tailBytes))) tail.take(bytes);
    const { sessionId, agent, cwd } = tail.opened ?? head.opened;
    const { firstPrompt } = head;
    return { file, sessionId, agent, cwd, title: tail.title ?? head.title, firstPrompt, updatedAt };
  } catch {
    // Another Neovim may have thrown it away meanwhile.
    return undefined;
  }
}

/** What the records of a journal say of the conversation as a whole. */
class Facts {
  opened: Extract<SessionEvent, { kind: 'session_opened' }> | undefined;
  title: string | undefined;
  firstPrompt: string | undefined;

  get isComplete(): boolean {
    return this.opened !== undefined && this.firstPrompt !== undefined;
  }

  take(line: Buffer): void {
    const { event } = storedIn(line) || {};
    if (event?.kind === 'session_opened') this.opened = event;
    else if (event?.kind === 'title') this.title = event.title ?? this.title;
    else if (event && isUserText(event)) this.firstPrompt ??= event.text;
  }
}

function isUserText(event: SessionEvent): event is Extract<SessionEvent, { text: string }> {
  return event.kind === 'turn_started' || (event.kind === 'chunk' && event.role === 'user');
}
