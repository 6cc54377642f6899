import { AcpError } from '../base/errors.ts';
import type { ChatSummary } from '../model/session-list.ts';
import type { SessionSink } from '../ports/agent.ts';
import type { Editor } from '../ports/editor.ts';
import type { Chat } from './chat/chat.ts';

/** The chats that are open, by id. */
export class Chats {
  private readonly editor: Editor;
  private readonly byId = new Map<number, Chat>();
  /** The ends of chats that have not finished yet. */
  private readonly ending = new Set<Promise<void>>();

  constructor(editor: Editor) {
    this.editor = editor;
  }

  get all(): readonly Chat[] {
    return [...this.byId.values()];
  }

  summaries(): readonly ChatSummary[] {
    return this.all.map((chat) => chat.summary());
  }

  add(chat: Chat): void {
    this.byId.set(chat.id, chat);
  }

  find(id: number): Chat | undefined {
    return this.byId.get(id);
  }

  /** Throws when there is no such chat, and has Neovim open it again the next time. */
  get(id: number): Chat {
    const chat = this.byId.get(id);
    if (chat) return chat;
    this.editor.send('chat.unknown', { chat: id });
    throw new AcpError('not_found', `the host has lost chat ${id}; repeat the command to open it again`);
  }

  /** The chat that shows a session. */
  idOf(sink: SessionSink | undefined): number | undefined {
    return this.all.find(({ session }) => session === sink)?.id;
  }

  /** Removes a chat and ends it. */
  async close(id: number): Promise<void> {
    const chat = this.byId.get(id);
    this.byId.delete(id);
    if (!chat) return;
    const end = chat.end();
    this.ending.add(end);
    await end.finally(() => this.ending.delete(end));
  }

  /** Writes the journals of all chats and ends them; waits for chats that are closing too. */
  async end(): Promise<void> {
    // The process may exit before slow agents have ended.
    for (const chat of this.all) chat.flush();
    for (const { id } of this.all) this.close(id).catch(() => undefined);
    await Promise.allSettled(this.ending);
  }
}
