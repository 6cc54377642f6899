import type { Opening } from '../ports/agent.ts';
import type { SessionEvent } from './events.ts';
import type { JournalRecord } from './journal.ts';
import type { Abilities } from './model.ts';

/** A conversation of before that a chat is to go on with. */
export interface Earlier {
  readonly sessionId: string;
  /** What was said stands in the chat already. */
  readonly isShown: boolean;
  /** What was written down of it, for an agent that does not tell it. */
  readonly written: readonly JournalRecord[];
}

/** Telling a conversation again is wanted where it is not shown, and only bearable where it is. */
export function howToOpen(abilities: Abilities, earlier: Earlier | undefined): Opening['how'] {
  if (!earlier) return 'new';
  const wishes = earlier.isShown ? (['resume', 'load'] as const) : (['load', 'resume'] as const);
  return wishes.find((how) => abilities[how]) ?? 'new';
}

const told = new Set<SessionEvent['kind']>([
  'chunk',
  'tool',
  'terminal',
  'plan',
  'compaction',
  'notice',
  'title',
]);

/** What was written down of a conversation, as an agent would tell it again. */
export function historyOf(records: readonly JournalRecord[]): readonly SessionEvent[] {
  return records.flatMap(({ event }) => {
    if (event.kind === 'turn_started') return [{ kind: 'chunk', role: 'user', text: event.text }];
    return told.has(event.kind) ? [event] : [];
  });
}
