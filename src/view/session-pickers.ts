import { shorten } from '../base.ts';
import type { CatalogueItem, OpenSession } from '../session/catalogue.ts';
import { shortPath } from './format.ts';
import type { Picker } from './pickers.ts';
import { sanitiseLine } from './sanitise.ts';

/** What can be done with a conversation that is chosen. */
export type SessionAction = 'open' | 'close' | 'delete';

export interface SessionsPlace {
  readonly cwd: string;
  readonly home: string;
  readonly now: number;
}

const prompts: Readonly<Record<SessionAction, string>> = {
  open: 'Sessions',
  close: 'Close a session',
  delete: 'Delete a session',
};
const maxTitle = 48;
const maxNamed = 3;

/** The conversations to choose from; each is told by its place in the list. */
export function sessionsPicker(
  items: readonly CatalogueItem[],
  action: SessionAction,
  place: SessionsPlace,
): Picker {
  return {
    prompt: prompts[action],
    kind: 'acp.session',
    items: items.map((item, index) => ({
      label: labelOf(item, place),
      op: `session.${action}`,
      payload: { index },
    })),
  };
}

/** Asks once more before something is gone for good. */
export function deletionPicker(item: CatalogueItem, index: number, isForgotten: boolean): Picker {
  const agent = sanitiseLine(item.agent);
  const where = isForgotten ? `${agent} forgets it too` : `${agent} may keep its own copy`;
  return {
    prompt: `Delete "${titleOf(item)}"? (${where})`,
    kind: 'acp.session',
    items: [
      { label: 'Keep it', op: 'session.keep', payload: { index } },
      { label: 'Delete it', op: 'session.remove', payload: { index } },
    ],
  };
}

/** Asks before an agent is restarted that works for other chats too. */
export function restartPicker(chat: number, agent: string, working: readonly OpenSession[]): Picker {
  const verb = working.length === 1 ? 'is' : 'are';
  return {
    prompt: `Restart ${sanitiseLine(agent)}? ${namesOf(working)} ${verb} working with it.`,
    kind: 'acp.session',
    items: [
      { label: 'Let it work', op: 'session.keep', payload: { chat } },
      { label: 'Restart it', op: 'agent.restart', payload: { chat, sure: true } },
    ],
  };
}

/** Chats by their titles, for a sentence. */
export function namesOf(chats: readonly OpenSession[]): string {
  const names = chats.map((open) => `"${titleOf({ ...open, open })}"`);
  return names.length <= maxNamed
    ? names.join(', ')
    : `${names.slice(0, maxNamed).join(', ')} and ${names.length - maxNamed} more`;
}

function labelOf(item: CatalogueItem, { cwd, home, now }: SessionsPlace): string {
  const parts = [
    `${signOf(item)} ${titleOf(item)}`,
    sanitiseLine(item.agent),
    item.open ? stateOf(item.open) : ago(item.updatedAt, now),
    item.cwd === undefined || item.cwd === cwd ? '' : sanitiseLine(shortPath(item.cwd, cwd, home)),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

type Named = Pick<CatalogueItem, 'title' | 'firstPrompt' | 'sessionId' | 'open'>;

// Ids mean nothing to a person; in a chat without a word there is nothing to tell it by.
export function titleOf({ title, firstPrompt, sessionId, open }: Named): string {
  const text = sanitiseLine(shorten(title ?? firstPrompt ?? '', 10 * maxTitle));
  const unnamed = open ? 'a new session' : (sessionId ?? 'a session');
  return shorten(text === '' ? unnamed : text, maxTitle);
}

function signOf({ open }: CatalogueItem): string {
  return open ? '●' : ' ';
}

function stateOf({ isWaiting, isBusy }: NonNullable<CatalogueItem['open']>): string {
  if (isWaiting) return 'waiting for you';
  return isBusy ? 'working' : 'open';
}

/** How long ago, as a person would say it. */
export function ago(at: number | undefined, now: number): string {
  if (at === undefined) return '';
  const minutes = Math.floor(Math.max(0, now - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} m ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}
