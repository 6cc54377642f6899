import { setImmediate as turnOfEvents } from 'node:timers/promises';
import type { SessionEvent } from '../../model/session-events.ts';
import { parseRecord, readJournalLines } from './reader.ts';

/** A line of a message that has the words. */
export interface JournalMatch {
  readonly role: 'user' | 'agent';
  /** The time of the message. */
  readonly at: number;
  readonly line: string;
}

/** The host answers Neovim at least this often while it reads. */
const pauseEveryMs = 8;

/** Messages of one speaker arrive in chunks; words may be divided between two of them. */
interface Message {
  readonly role: 'user' | 'agent';
  readonly at: number;
  text: string;
}

/** The lines of messages in a journal that contain a text, the last ones first, up to a limit. */
export async function searchJournal(
  file: string,
  query: string,
  limit: number,
): Promise<readonly JournalMatch[]> {
  const matches: JournalMatch[] = [];
  const finder = lineFinder(query);
  let message: Message | undefined;
  const close = () => {
    if (message) matches.push(...finder(message));
    message = undefined;
  };
  let pausedAt = performance.now();
  for (const { bytes } of readJournalLines(file)) {
    const record = parseRecord(bytes);
    if (!record) continue;
    const part = partOf(record.event);
    if (!part || part.isNew || part.role !== message?.role) close();
    if (part) {
      message ??= { role: part.role, at: record.at, text: '' };
      message.text += part.text;
    }
    if (performance.now() - pausedAt > pauseEveryMs) {
      await turnOfEvents();
      pausedAt = performance.now();
    }
  }
  close();
  return matches.toReversed().slice(0, limit);
}

function partOf(event: SessionEvent): { role: 'user' | 'agent'; text: string; isNew: boolean } | undefined {
  if (event.kind === 'turn_started' && !event.isShown) return { role: 'user', text: event.text, isNew: true };
  if (event.kind !== 'chunk' || event.role === 'thought') return undefined;
  return { role: event.role, text: event.text, isNew: event.isCompleteMessage === true };
}

/** Ignores case unless the query has an upper-case letter, as 'smartcase' does. */
function lineFinder(query: string): (message: Message) => readonly JournalMatch[] {
  const isExact = query !== query.toLowerCase();
  const fold = (text: string) => (isExact ? text : text.toLowerCase());
  const wanted = fold(query);
  return ({ role, at, text }) => {
    if (!fold(text).includes(wanted)) return [];
    const lines = text.split('\n').filter((line) => fold(line).includes(wanted));
    return lines.map((line) => ({ role, at, line }));
  };
}
