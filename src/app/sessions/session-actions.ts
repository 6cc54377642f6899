import { AcpError } from '../../base/errors.ts';
import type { SessionListItem } from '../../model/session-list.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import { deleteJournal } from '../../session/journal/journal.ts';
import { renameJournal } from '../../session/journal/journal-title.ts';
import {
  deletionPicker,
  type ListPlace,
  openElsewhere,
  renameInput,
  sessionTitle,
} from '../../view/pickers/sessions.ts';
import type { Chats } from '../chats.ts';
import type { StoredSessions } from './stored-sessions.ts';

interface SessionActionsPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly chats: Pick<Chats, 'get' | 'close'>;
  readonly stored: StoredSessions;
  onDeleted(): void;
}

/** What the user can do with a session in a list. */
export class SessionActions {
  private readonly ports: SessionActionsPorts;

  constructor(ports: SessionActionsPorts) {
    this.ports = ports;
  }

  /** Shows the chat of a session, or creates one. */
  open({ agent, sessionId, cwd, files, open, title }: SessionListItem): void {
    const { editor } = this.ports;
    if (open) return editor.send('chat.show', { chat: open.chat });
    if (sessionId === undefined) return;
    const [earlierJournal] = files;
    editor.send('chat.create', { agent, session: sessionId, cwd, earlierJournal, title });
  }

  async close({ open }: SessionListItem): Promise<void> {
    if (!open) return;
    const closed = this.ports.chats.close(open.chat);
    this.ports.editor.send('chat.end', { chat: open.chat });
    await closed;
  }

  /** Asks whether to delete a session. The chat of another Neovim goes on using the files of its session. */
  confirmDeletion(item: SessionListItem, place: ListPlace): void {
    const { editor } = this.ports;
    if (!item.isOpenElsewhere)
      return editor.send('picker.open', { ...deletionPicker(item, this.canDeleteAtAgent(item), place) });
    const title = sessionTitle(item);
    editor.notify('warn', `"${title}" is ${openElsewhere}: delete it there, or here after that has quit`);
  }

  /** Deletes the journals of a session, and the session itself if its agent supports that. */
  async remove(item: SessionListItem, spec: AgentSpec): Promise<void> {
    const { stored, editor, onDeleted } = this.ports;
    await this.close(item);
    if (this.canDeleteAtAgent(item)) await stored.agentOf(spec).deleteSession(item.sessionId!);
    for (const file of item.files) await deleteJournal(file);
    editor.notify('info', `deleted "${sessionTitle(item)}"`);
    onDeleted();
  }

  /** Asks for another title of the session of a chat. */
  askTitle(chat: number): void {
    const { editor, chats } = this.ports;
    const open = chats.get(chat).summary();
    editor.send('input.open', renameInput({ ...open, open }, { chat }));
  }

  /** Gives a session a title: at its agent if it takes one, else in its journals. */
  async rename(item: SessionListItem, title: string, spec: AgentSpec): Promise<void> {
    const { chats, stored, clock } = this.ports;
    if (item.open) return chats.get(item.open.chat).session.rename(title);
    const isAtAgent = item.isStoredByAgent && stored.capabilities.title === true;
    if (isAtAgent) await stored.agentOf(spec).setTitle(item.sessionId!, title);
    else if (item.files.length === 0)
      throw new AcpError('unsupported', `${item.agent} can't rename it, and it has no journal here`);
    else for (const file of item.files) await renameJournal(file, title, clock.now());
  }

  /** Opens a chat that continues with a copy of the session. */
  fork({ open, agent, sessionId, files, cwd, title, isStoredByAgent }: SessionListItem): void {
    const { stored, editor } = this.ports;
    if (open) return this.forkChat(open.chat);
    if (!isStoredByAgent || !stored.capabilities.fork || sessionId === undefined)
      throw new AcpError('unsupported', `${agent} can't fork this session`);
    const [earlierJournal] = files;
    editor.send('chat.create', { agent, session: sessionId, isFork: true, cwd, earlierJournal, title });
  }

  /** Opens a chat that continues with a copy of the session of another one. */
  forkChat(id: number): void {
    const { editor, chats } = this.ports;
    const chat = chats.get(id);
    const { agent, sessionId, title } = chat.session.state;
    if (!agent.capabilities?.fork)
      throw new AcpError(
        'unsupported',
        `${agent.title} can't fork a session: it does not support session/fork`,
      );
    if (sessionId === undefined) throw new AcpError('not_found', 'the session is not open yet');
    if (chat.session.state.isPrivate)
      throw new AcpError('unsupported', 'a private session has no journal that a fork could begin with');
    chat.flush();
    editor.send('chat.create', {
      ...{ agent: chat.place.agent, session: sessionId, isFork: true, cwd: chat.place.cwd },
      ...{ earlierJournal: chat.journalFile, ...(title !== undefined && { title }) },
    });
  }

  canDeleteAtAgent({ isStoredByAgent }: SessionListItem): boolean {
    return isStoredByAgent && this.ports.stored.capabilities.delete === true;
  }
}
