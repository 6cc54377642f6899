import os from 'node:os';
import type { Disposable } from '../../base/disposable.ts';
import { AcpError } from '../../base/errors.ts';
import type { SessionListItem } from '../../model/session-list.ts';
import type { RenderLoop } from '../../nvim/render-loop.ts';
import type { AgentSpec, StoredSession } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { Log } from '../../ports/log.ts';
import type { HostOptions } from '../../ports/options.ts';
import { type JournaledSession, listJournaledSessions } from '../../session/journal/journal-list.ts';
import { mergeSessionLists } from '../../session/session-list.ts';
import { renameInput, sessionTitle } from '../../view/pickers/sessions.ts';
import { type SessionList, SessionPanelView, type SessionRow } from '../../view/sessions/panel.ts';
import type { Chats } from '../chats.ts';
import type { Branches } from './branches.ts';
import { isInProject, projectFolders } from './project-folders.ts';
import type { SessionActions } from './session-actions.ts';
import { factsOf } from './session-row.ts';
import type { StoredSessions } from './stored-sessions.ts';

/** The list follows the sessions at most this often. */
const followMs = 250;
/** The ages of the sessions are shown in minutes. */
const ageMs = 60_000;

interface SessionPanelPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
  readonly renderLoop: RenderLoop;
  readonly chats: Pick<Chats, 'all' | 'find'>;
  readonly stored: StoredSessions;
  readonly actions: SessionActions;
  readonly branches: Branches;
  readonly options: { get(): Pick<HostOptions, 'isPlain'> };
}

interface PanelQuery {
  readonly spec: AgentSpec;
  /** Other names of the same agent. */
  readonly otherNames: readonly string[];
  /** The folder of the journals. */
  readonly folder: string;
  /** The process id of this Neovim. */
  readonly pid: number;
  /** List the sessions of all folders, not only of the project of the current one. */
  readonly isAll: boolean;
}

export type PanelAction = 'open' | 'close' | 'delete' | 'rename' | 'fork';

/** The list of sessions that stays open: it follows what happens in the chats. */
export class SessionPanel {
  private readonly ports: SessionPanelPorts;
  private readonly view: SessionPanelView;
  private query: PanelQuery | undefined;
  private archived: readonly JournaledSession[] = [];
  private kept: readonly StoredSession[] = [];
  /** The folders of the project; undefined: the sessions of all folders are listed. */
  private folders: ReadonlySet<string> | undefined;
  private isLoading = false;
  private loads = 0;
  private readonly items = new Map<number, SessionListItem>();
  /** The numbers of sessions, which do not change while the panel is open. */
  private readonly numbers = new Map<string, number>();
  private following: Disposable | undefined;
  private ageing: Disposable | undefined;

  constructor(ports: SessionPanelPorts) {
    this.ports = ports;
    this.view = new SessionPanelView(
      () => this.list(),
      () => ports.clock.now(),
    );
  }

  /** Draws the list, first with the sessions of open chats, then with all. */
  async show(query: PanelQuery): Promise<void> {
    this.query = query;
    this.folders = query.isAll ? undefined : new Set([query.spec.cwd]);
    this.ageing ??= this.ports.clock.every(ageMs, () => this.draw());
    this.isLoading = true;
    this.ports.renderLoop.show(this.view);
    await this.load(query);
  }

  hide(): void {
    this.query = undefined;
    this.ports.renderLoop.forget(this.view);
    this.following?.dispose();
    this.following = undefined;
    this.ageing?.dispose();
    this.ageing = undefined;
  }

  private async refresh(): Promise<void> {
    if (this.query) await this.load(this.query);
  }

  /** Something has happened in a chat. */
  touch(): void {
    if (!this.query || this.following) return;
    this.following = this.ports.clock.after(followMs, () => {
      this.following = undefined;
      this.draw();
    });
  }

  /** A chat was closed, so that its journal is an earlier session now, or sessions were deleted. */
  listAgain(): void {
    this.refresh().catch((error: unknown) => this.ports.log.error('could not list the sessions', error));
  }

  async act(action: PanelAction, number: number): Promise<void> {
    const { actions, editor } = this.ports;
    const item = this.item(number);
    if (action === 'open') return actions.open(item);
    if (action === 'fork') return actions.fork(item);
    if (action === 'close') return actions.close(item);
    if (action === 'delete') return actions.confirmDeletion(item, { item: number });
    editor.send('input.open', renameInput(item, { item: number }));
  }

  async rename(number: number, title: string | undefined): Promise<void> {
    if (title === undefined || title.trim() === '') return;
    await this.ports.actions.rename(this.item(number), title.trim(), this.spec);
    await this.refresh();
  }

  remove(number: number): Promise<void> {
    return this.ports.actions.remove(this.item(number), this.spec);
  }

  private get spec(): AgentSpec {
    if (!this.query) throw new AcpError('not_found', 'the list of sessions was closed');
    return this.query.spec;
  }

  private item(number: number): SessionListItem {
    const item = this.items.get(number);
    if (!item) throw new AcpError('not_found', 'there is no session on this line any more');
    return item;
  }

  private async load(query: PanelQuery): Promise<void> {
    const { spec, folder, pid, isAll } = query;
    this.loads += 1;
    const load = this.loads;
    const isCurrent = () => this.query === query && this.loads === load;
    this.ports.branches.forget();
    const archived = await listJournaledSessions(folder, { pid });
    const folders = isAll ? undefined : await projectFolders(spec.cwd, archived);
    if (!isCurrent()) return;
    this.archived = archived;
    this.folders = folders;
    this.draw();
    const kept = await this.ports.stored.list(spec, folders);
    if (!isCurrent()) return;
    this.kept = kept;
    this.isLoading = false;
    this.draw();
  }

  private draw(): void {
    if (this.query) this.ports.renderLoop.request(this.view);
  }

  private list(): SessionList {
    const { spec, otherNames = [], isAll = false } = this.query ?? {};
    const cwd = spec?.cwd ?? '';
    const open = this.ports.chats.all.map((chat) => chat.summary());
    const { archived, kept, folders } = this;
    const sources = { open, archived, kept, agent: spec?.name ?? '', otherNames };
    const items = mergeSessionLists(sources).filter((item) => item.open || isInProject(item, folders));
    // Open chats keep their places, whatever happens in them.
    const byChat = (one: SessionListItem, other: SessionListItem) =>
      (one.open?.chat ?? Infinity) - (other.open?.chat ?? Infinity) || 0;
    const rows = items.sort(byChat).map((item) => this.row(item));
    const { isPlain } = this.ports.options.get();
    return { rows, cwd, home: os.homedir(), isAll, isPlain, isLoading: this.isLoading };
  }

  private row(item: SessionListItem): SessionRow {
    const { chats, branches } = this.ports;
    const number = this.numberOf(item);
    this.items.set(number, item);
    const chat = item.open && chats.find(item.open.chat);
    const { agent, cwd, updatedAt, isOpenElsewhere } = item;
    return {
      ...{ item: number, title: sessionTitle(item), agent, cwd, updatedAt, isOpenElsewhere },
      branch: chat && cwd !== undefined ? branches.of(cwd, () => this.touch()) : undefined,
      ...(chat && { chat: factsOf(chat) }),
    };
  }

  // Several sessions of an agent may have the same id.
  private numberOf({ agent, sessionId, open, files }: SessionListItem): number {
    const key = open ? `chat ${open.chat}` : JSON.stringify([agent, sessionId, files.at(-1)]);
    const number = this.numbers.get(key) ?? this.numbers.size + 1;
    this.numbers.set(key, number);
    return number;
  }
}
