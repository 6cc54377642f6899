import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import { type InboxItem, inboxPicker } from '../../view/pickers/inbox.ts';

interface ChatInInbox {
  readonly id: number;
  readonly attention: { inboxItems(): readonly InboxItem[] };
  readonly questions: { show(which: { readonly id: number }): void };
  readonly login: { show(): void };
  readonly review: { open(scope: 'session'): unknown };
}

interface InboxParts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly chats: { readonly all: readonly ChatInInbox[] };
}

/** Which item the user has chosen. */
export interface InboxChoice {
  readonly chat: number;
  readonly kind: InboxItem['kind'];
  readonly id?: number | undefined;
}

/** What waits for the user in all chats. */
export class Inbox {
  private readonly parts: InboxParts;
  /** The items that `next` has been to and that still wait. */
  private visited = new Set<string>();

  constructor(parts: InboxParts) {
    this.parts = parts;
  }

  show(): void {
    const items = this.items();
    if (items.length === 0) return this.notifyEmpty();
    this.parts.editor.send('picker.open', inboxPicker(items, this.parts.clock.now()));
  }

  /** Goes to the newest item; called again, to those before it. */
  next(): unknown {
    const items = this.items();
    const unvisited = items.find((item) => !this.visited.has(keyOf(item)));
    const item = unvisited ?? items[0];
    if (!item) return this.notifyEmpty();
    const waiting = new Set(items.map(keyOf));
    const visited = unvisited ? [...this.visited].filter((key) => waiting.has(key)) : [];
    this.visited = new Set([...visited, keyOf(item)]);
    return this.goTo(item);
  }

  /** Goes to an item that the user has chosen, if it still waits. */
  open(choice: InboxChoice): unknown {
    const item = this.items().find((each) => keyOf(each) === keyOf(choice));
    if (item) return this.goTo(item);
    return this.parts.editor.notify('info', 'that is done already');
  }

  private goTo(item: InboxItem): unknown {
    const chat = this.parts.chats.all.find(({ id }) => id === item.chat);
    switch (item.kind) {
      case 'question':
        return chat?.questions.show({ id: item.id });
      case 'login':
        return chat?.login.show();
      case 'changes':
        return chat?.review.open('session');
      case 'failed':
      case 'finished':
        return this.parts.editor.send('chat.show', { chat: item.chat });
    }
  }

  // The newest first.
  private items(): readonly InboxItem[] {
    const items = this.parts.chats.all.flatMap(({ attention }) => attention.inboxItems());
    return items.sort((one, other) => other.at - one.at);
  }

  private notifyEmpty(): void {
    this.parts.editor.notify('info', 'nothing waits for you');
  }
}

function keyOf({ chat, kind, id }: InboxChoice): string {
  return [chat, kind, id].join(' ');
}
