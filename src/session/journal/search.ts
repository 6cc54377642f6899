import { maxTextLength } from '../../model/growing-text.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import { parseRecord, readJournalLinesWithPauses } from './reader.ts';

/** A line of a message that has the words. */
export interface JournalMatch {
  readonly role: 'user' | 'agent';
  /** The time of the message. */
  readonly at: number;
  readonly line: string;
}

/** Messages of one speaker arrive in chunks; words may be divided between two of them. */
interface Message {
  readonly role: 'user' | 'agent';
  readonly at: number;
  readonly id: string | undefined;
  text: string;
}

/** A message, or a chunk of one. */
interface Part extends Pick<Message, 'role' | 'id' | 'text'> {
  readonly isNew: boolean;
}

/** What an agent may report in the middle of a message. */
const withinMessages: ReadonlySet<SessionEvent['kind']> = new Set([
  ...(['commands', 'settings', 'setting', 'mode', 'title', 'usage', 'turn_tokens', 'suggestions'] as const),
  ...(['compaction', 'terminal', 'unknown', 'prompt_queued', 'queue_changed', 'queue_cleared'] as const),
]);

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
  for await (const { bytes } of readJournalLinesWithPauses(file)) {
    const record = parseRecord(bytes);
    if (!record || withinMessages.has(record.event.kind)) continue;
    const part = partOf(record.event);
    if (!part || !message || !continues(message, part)) close();
    if (part) {
      message ??= { role: part.role, at: record.at, id: part.id, text: '' };
      if (message.text.length + part.text.length <= maxTextLength) message.text += part.text;
    }
  }
  close();
  return matches.toReversed().slice(0, limit);
}

function continues(message: Message, { role, id, isNew }: Part): boolean {
  return !isNew && role === message.role && (id === undefined || id === message.id);
}

function partOf(event: SessionEvent): Part | undefined {
  const isPrompt = (event.kind === 'turn_started' && !event.isShown) || event.kind === 'prompt_injected';
  if (isPrompt) return { role: 'user', id: undefined, text: event.text, isNew: true };
  if (event.kind !== 'chunk' || event.role === 'thought') return undefined;
  const { role, messageId: id, text, isCompleteMessage = false } = event;
  return { role, id, text, isNew: isCompleteMessage };
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
