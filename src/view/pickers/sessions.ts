import { displayPath } from '../../base/paths.ts';
import { shorten } from '../../base/text.ts';
import type { ChatSummary, SessionListItem } from '../../model/session-list.ts';
import type { Input, Picker, PickerItem } from '../../ports/dialogs.ts';
import { sanitiseLine, sanitiseStart } from '../sanitise.ts';
import { question, toolSigns } from '../signs.ts';

export type SessionAction = 'open' | 'close' | 'delete';

interface SessionsPickerContext {
  readonly cwd: string;
  readonly home: string;
  readonly now: number;
}

const prompts: Readonly<Record<SessionAction, string>> = {
  open: 'Sessions',
  close: 'Close a session',
  delete: 'Delete a session',
};
const operations: Readonly<Record<SessionAction, string>> = {
  open: 'session.open',
  close: 'session.close',
  delete: 'session.delete',
};
const maxTitle = 48;
export const openElsewhere = 'open in another Neovim';
const maxNamed = 3;

/** The list of sessions. Operations refer to an item by its index. */
export function sessionsPicker(
  items: readonly SessionListItem[],
  action: SessionAction,
  place: SessionsPickerContext,
): Picker {
  return {
    prompt: prompts[action],
    kind: 'acp.session',
    items: items.map((item, index) => ({
      label: sessionLabel(item, place),
      op: operations[action],
      payload: { index },
    })),
  };
}

/** Where a session is: in the picker, or in the panel. */
export type ListPlace = { readonly index: number } | { readonly item: number };

/** Asks for confirmation before a session is deleted. */
export function deletionPicker(item: SessionListItem, isForgotten: boolean, place: ListPlace): Picker {
  const removal: Omit<PickerItem, 'label'> =
    'index' in place ? { op: 'session.remove', payload: place } : { op: 'panel.remove', payload: place };
  const agent = sanitiseLine(item.agent);
  const where = isForgotten ? `${agent} deletes it too` : `${agent} may keep its own copy`;
  return {
    prompt: `Delete "${sessionTitle(item)}"? (${where})`,
    kind: 'acp.session',
    items: [{ label: 'Keep it' }, { label: 'Delete it', ...removal }],
  };
}

/** Asks for another title of a session. The whole one is offered, because the user edits it. */
export function renameInput(
  session: TitleSource,
  place: { readonly item: number } | { readonly chat: number },
): Input {
  const { title, firstPrompt } = session;
  const op = 'item' in place ? 'panel.rename' : 'session.rename';
  const shown = title === undefined && firstPrompt === undefined ? '' : sessionTitle(session);
  return { prompt: 'Title: ', default: sanitiseLine(title ?? shown), op, payload: place, isSecret: false };
}

/** Asks for confirmation before restarting an agent that other chats use. */
export function restartPicker(chat: number, agent: string, working: readonly ChatSummary[]): Picker {
  const verb = working.length === 1 ? 'is' : 'are';
  return {
    prompt: `Restart ${sanitiseLine(agent)}? ${joinTitles(working)} ${verb} working with it.`,
    kind: 'acp.session',
    items: [
      { label: 'Let it work' },
      { label: 'Restart it', op: 'agent.restart', payload: { chat, sure: true } },
    ],
  };
}

/** The titles of chats as a list in a sentence. */
export function joinTitles(chats: readonly ChatSummary[]): string {
  const names = chats.map((open) => `"${sessionTitle({ ...open, open })}"`);
  return names.length <= maxNamed
    ? names.join(', ')
    : `${names.slice(0, maxNamed).join(', ')} and ${names.length - maxNamed} more`;
}

function sessionLabel(item: SessionListItem, { cwd, home, now }: SessionsPickerContext): string {
  const parts = [
    `${openSign(item)} ${sessionTitle(item)}`,
    sanitiseLine(item.agent),
    item.open ? openState(item.open) : timeAgo(item.updatedAt, now),
    item.cwd === undefined || item.cwd === cwd ? '' : sanitiseLine(displayPath(item.cwd, cwd, home)),
    item.isOpenElsewhere ? openElsewhere : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

type TitleSource = Pick<SessionListItem, 'title' | 'firstPrompt' | 'sessionId' | 'open'>;

// The session id is shown only if there is neither title nor prompt.
export function sessionTitle({ title, firstPrompt, sessionId, open }: TitleSource): string {
  const text = sanitiseLine(shorten(title ?? firstPrompt ?? '', 10 * maxTitle));
  const unnamed = open ? 'a new session' : sanitiseStart(sessionId ?? '', maxTitle) || 'a session';
  return shorten(text === '' ? unnamed : text, maxTitle);
}

function openSign({ open }: SessionListItem): string {
  if (!open) return ' ';
  if (open.isWaiting) return question[0];
  return open.isBusy ? toolSigns.running[0] : toolSigns.pending[0];
}

function openState({ isWaiting, isBusy }: NonNullable<SessionListItem['open']>): string {
  if (isWaiting) return 'waiting for you';
  return isBusy ? 'working' : 'open';
}

export function timeAgo(at: number | undefined, now: number): string {
  if (at === undefined) return '';
  const minutes = Math.floor(Math.max(0, now - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} m ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}
