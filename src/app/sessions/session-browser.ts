import os from 'node:os';
import type { Disposable } from '../../base/disposable.ts';
import { AcpError, messageOf } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import type { AgentCapabilities } from '../../model/agent.ts';
import type { SessionListItem } from '../../model/session-list.ts';
import type { AgentLauncher, AgentLink, AgentSpec, StoredSession } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import { deleteJournal } from '../../session/journal/journal.ts';
import { listJournaledSessions } from '../../session/journal/journal-list.ts';
import { mergeSessionLists } from '../../session/session-list.ts';
import {
  deletionPicker,
  type SessionAction,
  sessionsPicker,
  sessionTitle,
} from '../../view/pickers/sessions.ts';
import type { Chats } from '../chats.ts';

// The user is likely to open a session of the agent that was started for the list.
const lingerMs = 60_000;
const listTimeoutMs = 15_000;

interface SessionBrowserPorts {
  readonly launcher: AgentLauncher;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly chats: Pick<Chats, 'summaries' | 'close'>;
}

interface SessionListQuery {
  readonly spec: AgentSpec;
  /** The folder of the journals. */
  readonly folder: string;
  readonly action: SessionAction;
  /** List the sessions of all folders, not only of the current one. */
  readonly isAll: boolean;
}

/** Lets the user open, close and delete sessions: those of open chats, of journals, and those that an agent stores. */
export class SessionBrowser {
  private readonly ports: SessionBrowserPorts;
  private shown: { readonly query: SessionListQuery; readonly items: readonly SessionListItem[] } | undefined;
  private link: AgentLink | undefined;
  /** Ends the agent when it was not used for a minute. */
  private lingering: Disposable | undefined;
  private isEnded = false;
  private capabilities: AgentCapabilities = {};

  constructor(ports: SessionBrowserPorts) {
    this.ports = ports;
  }

  /** Lets the user choose a session. If the agent cannot list its sessions, the user reads why. */
  async show(query: SessionListQuery): Promise<void> {
    const { spec, action, folder } = query;
    const [archived, kept] = await Promise.all([
      listJournaledSessions(folder),
      action === 'close' ? [] : this.listStoredSessions(query),
    ]);
    const all = mergeSessionLists({ open: this.ports.chats.summaries(), archived, kept, agent: spec.name });
    const items = all.filter((item) => this.matches(item, query));
    if (items.length === 0) return this.ports.editor.notify('warn', emptyListMessage(query));
    this.shown = { query, items };
    const context = { cwd: spec.cwd, home: os.homedir(), now: this.ports.clock.now() };
    this.ports.editor.send('picker.open', { ...sessionsPicker(items, action, context) });
  }

  /** Shows the chat of a session, or creates one. */
  open(index: number): void {
    const { agent, sessionId, cwd, files, open, title } = this.item(index);
    if (open) return this.ports.editor.send('chat.show', { chat: open.chat });
    if (sessionId === undefined) return;
    const [earlierJournal] = files;
    this.ports.editor.send('chat.create', {
      agent,
      session: sessionId,
      cwd,
      earlierJournal,
      title,
    });
  }

  async close(index: number): Promise<void> {
    const { open } = this.item(index);
    if (!open) return;
    const closed = this.ports.chats.close(open.chat);
    this.ports.editor.send('chat.end', { chat: open.chat });
    await closed;
  }

  confirm(index: number): void {
    const item = this.item(index);
    this.ports.editor.send('picker.open', { ...deletionPicker(item, index, this.canDeleteAtAgent(item)) });
  }

  /** Deletes the journals of a session, and the session itself if its agent supports that. */
  async remove(index: number): Promise<void> {
    const item = this.item(index);
    const { sessionId, files } = item;
    await this.close(index);
    if (this.canDeleteAtAgent(item))
      await this.launchAgent(this.shown!.query.spec).agent.deleteSession(sessionId!);
    for (const file of files) await deleteJournal(file);
    this.ports.editor.notify('info', `deleted "${sessionTitle(item)}"`);
  }

  /** Resolves when the agent that was started for the list has ended. No other is started afterwards. */
  readonly end = once(async () => {
    this.isEnded = true;
    this.lingering?.dispose();
    await this.link?.end();
  });

  private item(index: number): SessionListItem {
    const item = this.shown?.items[index];
    if (!item) throw new AcpError('not_found', 'the list is out of date; :AcpSessions makes a new one');
    return item;
  }

  private canDeleteAtAgent({ isStoredByAgent }: SessionListItem): boolean {
    return isStoredByAgent && this.capabilities.delete === true;
  }

  private matches(item: SessionListItem, { action, isAll, spec }: SessionListQuery): boolean {
    if (action === 'close') return item.open !== undefined;
    if (action === 'delete' && item.files.length === 0 && !this.canDeleteAtAgent(item)) return false;
    return isAll || item.open !== undefined || item.cwd === undefined || item.cwd === spec.cwd;
  }

  private async listStoredSessions({ spec, isAll }: SessionListQuery): Promise<readonly StoredSession[]> {
    const giveUp = new AbortController();
    const timer = this.ports.clock.after(listTimeoutMs, () => giveUp.abort());
    try {
      const { agent } = this.launchAgent(spec);
      const { capabilities = {} } = await Promise.race([agent.ready, rejectAfter(spec.name, giveUp.signal)]);
      this.capabilities = capabilities;
      return capabilities.list ? await agent.listSessions(isAll ? undefined : spec.cwd, giveUp.signal) : [];
    } catch (error) {
      this.capabilities = {};
      this.ports.editor.notify('warn', `only sessions with a journal are listed: ${messageOf(error)}`);
      return [];
    } finally {
      timer.dispose();
    }
  }

  private launchAgent(spec: AgentSpec): AgentLink {
    if (this.isEnded) throw new AcpError('cancelled', 'the host has ended');
    const link = this.ports.launcher.launch(spec);
    this.release(this.link);
    this.link = link;
    this.lingering?.dispose();
    this.lingering = this.ports.clock.after(lingerMs, () => this.release(link));
    return link;
  }

  private release(link: AgentLink | undefined): void {
    link?.end().catch((error: unknown) => this.ports.editor.notify('warn', messageOf(error)));
  }
}

function emptyListMessage({ action, isAll }: SessionListQuery): string {
  if (action === 'close') return 'no session is open';
  return isAll
    ? 'there are no sessions yet; :AcpChat starts one'
    : 'there are no sessions of this folder; :AcpSessions! lists those of all folders';
}

function rejectAfter(name: string, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const message = `${name} did not answer within ${listTimeoutMs / 1000} s`;
    const fail = () => reject(new AcpError('agent_error', message));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
