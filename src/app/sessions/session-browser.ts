import os from 'node:os';
import { AcpError } from '../../base/errors.ts';
import type { SessionListItem } from '../../model/session-list.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import { listJournaledSessions } from '../../session/journal/journal-list.ts';
import { mergeSessionLists } from '../../session/session-list.ts';
import { type SessionAction, sessionsPicker } from '../../view/pickers/sessions.ts';
import type { Chats } from '../chats.ts';
import { isInProject, projectFolders } from './project-folders.ts';
import type { SessionActions } from './session-actions.ts';
import type { StoredSessions } from './stored-sessions.ts';

interface SessionBrowserPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly chats: Pick<Chats, 'summaries'>;
  readonly stored: StoredSessions;
  readonly actions: SessionActions;
}

interface SessionListQuery {
  readonly spec: AgentSpec;
  /** Other names of the same agent. */
  readonly otherNames: readonly string[];
  /** The folder of the journals. */
  readonly folder: string;
  /** The process id of this Neovim. */
  readonly pid: number;
  readonly action: SessionAction;
  /** List the sessions of all folders, not only of the project of the current one. */
  readonly isAll: boolean;
}

/** Lets the user choose a session to open, close or delete: of open chats, of journals, and those that an agent stores. */
export class SessionBrowser {
  private readonly ports: SessionBrowserPorts;
  private shown: { readonly query: SessionListQuery; readonly items: readonly SessionListItem[] } | undefined;

  constructor(ports: SessionBrowserPorts) {
    this.ports = ports;
  }

  /** Lets the user choose a session. */
  async show(query: SessionListQuery): Promise<void> {
    const { spec, otherNames, action, folder, pid, isAll } = query;
    const { chats, stored, editor, clock } = this.ports;
    const archived = await listJournaledSessions(folder, { pid });
    const folders = isAll ? undefined : await projectFolders(spec.cwd, archived);
    const kept = action === 'close' ? [] : await stored.list(spec, folders);
    const all = mergeSessionLists({ open: chats.summaries(), archived, kept, agent: spec.name, otherNames });
    const items = all.filter((item) => this.matches(item, action, folders));
    if (items.length === 0) return editor.notify('warn', emptyListMessage(query));
    this.shown = { query, items };
    const context = { cwd: spec.cwd, home: os.homedir(), now: clock.now() };
    editor.send('picker.open', { ...sessionsPicker(items, action, context) });
  }

  /** Shows the chat of a session, or creates one. */
  open(index: number): void {
    this.ports.actions.open(this.item(index));
  }

  close(index: number): Promise<void> {
    return this.ports.actions.close(this.item(index));
  }

  confirm(index: number): void {
    this.ports.actions.confirmDeletion(this.item(index), { index });
  }

  remove(index: number): Promise<void> {
    return this.ports.actions.remove(this.item(index), this.shown!.query.spec);
  }

  private item(index: number): SessionListItem {
    const item = this.shown?.items[index];
    if (!item) throw new AcpError('not_found', 'the list is out of date; :AcpSessions makes a new one');
    return item;
  }

  private matches(
    item: SessionListItem,
    action: SessionAction,
    folders: ReadonlySet<string> | undefined,
  ): boolean {
    if (action === 'close') return item.open !== undefined;
    const { actions } = this.ports;
    if (action === 'delete' && item.files.length === 0 && !actions.canDeleteAtAgent(item)) return false;
    return item.open !== undefined || isInProject(item, folders);
  }
}

function emptyListMessage({ action, isAll }: SessionListQuery): string {
  if (action === 'close') return 'no session is open';
  return isAll
    ? 'there are no sessions yet; :AcpChat starts one'
    : 'there are no sessions of this folder; :AcpSessions! lists those of all folders';
}
