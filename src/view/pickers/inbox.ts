import { countOf, shorten } from '../../base/text.ts';
import type { Picker } from '../../ports/dialogs.ts';
import { sanitiseLine } from '../sanitise.ts';
import { timeAgo } from './sessions.ts';

interface InboxSource {
  readonly chat: number;
  /** The name of the agent that is shown. */
  readonly agent: string;
  readonly title: string;
  /** When it began to wait. */
  readonly at: number;
}

/** Something in a chat that waits for the user or that they have not looked at. */
export type InboxItem = InboxSource &
  (
    | { readonly kind: 'question'; readonly id: number; readonly text: string }
    | { readonly kind: 'login' }
    | { readonly kind: 'failed'; readonly text: string }
    | { readonly kind: 'finished' }
    | { readonly kind: 'changes'; readonly files: number }
  );

const signs: Readonly<Record<InboxItem['kind'], string>> = {
  question: '?',
  login: '?',
  failed: '✗',
  finished: '✓',
  changes: '±',
};
const maxTitle = 40;
const maxText = 100;

/** Everything that waits for the user, in all chats. */
export function inboxPicker(items: readonly InboxItem[], now: number): Picker {
  return {
    prompt: 'Inbox',
    kind: 'acp.inbox',
    body: { lines: ['  What waits for you, the newest first:'], marks: [], right: [] },
    items: items.map((item) => ({
      label: inboxLabel(item, now),
      op: 'inbox.open',
      payload: { chat: item.chat, kind: item.kind, ...(item.kind === 'question' && { id: item.id }) },
    })),
  };
}

function inboxLabel(item: InboxItem, now: number): string {
  const agent = sanitiseLine(item.agent);
  const parts = [
    shorten(sanitiseLine(item.title), maxTitle),
    isNamed(item, agent) ? '' : agent,
    inboxText(item),
    item.at > 0 ? timeAgo(item.at, now) : '',
  ];
  return `${signs[item.kind]} ${parts.filter((part) => part !== '').join(' · ')}`;
}

// Questions and errors mostly begin with the name of the agent.
function isNamed(item: InboxItem, agent: string): boolean {
  return 'text' in item && item.text.startsWith(agent);
}

function inboxText(item: InboxItem): string {
  switch (item.kind) {
    case 'question':
    case 'failed':
      return shorten(sanitiseLine(item.text), maxText);
    case 'login':
      return 'wants you to log in';
    case 'finished':
      return 'has finished';
    case 'changes':
      return `${countOf(item.files, 'file')} to review`;
  }
}
