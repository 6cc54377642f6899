import os from 'node:os';
import { AcpError, messageOf } from './errors.ts';
import type { AgentLauncher, AgentLink, AgentSpec, KeptSession } from './ports/agent.ts';
import type { Clock, Editor } from './ports/host.ts';
import { readArchive } from './session/archive.ts';
import { type CatalogueItem, catalogueOf, type OpenSession } from './session/catalogue.ts';
import { forgetJournal } from './session/journal.ts';
import type { Abilities } from './session/model.ts';
import { deletionPicker, type SessionAction, sessionsPicker, titleOf } from './view/session-pickers.ts';

// An agent that is started to be asked is likely to be wanted next.
const lingerMs = 60_000;
const patienceMs = 15_000;

export interface SessionsPorts {
  readonly launcher: AgentLauncher;
  readonly editor: Editor;
  readonly clock: Clock;
  /** The chats there are, and how one is ended. */
  readonly chats: {
    list(): readonly OpenSession[];
    close(chat: number): Promise<void>;
  };
}

export interface SessionsQuery {
  readonly spec: AgentSpec;
  /** Where journals are kept. */
  readonly folder: string;
  readonly action: SessionAction;
  /** Those of all folders, and not only of the one the user is in. */
  readonly isAll: boolean;
}

/** The conversations of before and of now, for the user to choose from. */
export class Sessions {
  private readonly ports: SessionsPorts;
  private shown: { readonly query: SessionsQuery; readonly items: readonly CatalogueItem[] } | undefined;
  private link: AgentLink | undefined;
  private abilities: Abilities = {};

  constructor(ports: SessionsPorts) {
    this.ports = ports;
  }

  /** Lets the user choose one. What an agent can't tell is left out, with the reason. */
  async show(query: SessionsQuery): Promise<void> {
    const { spec, action, folder } = query;
    const [archived, kept] = await Promise.all([
      readArchive(folder),
      action === 'close' ? [] : this.keptBy(query),
    ]);
    const all = catalogueOf({ open: this.ports.chats.list(), archived, kept, agent: spec.name });
    const items = all.filter((item) => this.isMeant(item, query));
    if (items.length === 0) return this.tellUser(nothingFor(query));
    this.shown = { query, items };
    const place = { cwd: spec.cwd, home: os.homedir(), now: this.ports.clock.now() };
    this.ports.editor.tell('picker.open', { ...sessionsPicker(items, action, place) });
  }

  /** Goes to the chat of a conversation, or makes one. */
  open(index: number): void {
    const { agent, sessionId, cwd, files, open, title } = this.item(index);
    if (open) return this.ports.editor.tell('chat.show', { chat: open.chat });
    if (sessionId === undefined) return;
    const [written] = files;
    this.ports.editor.tell('chat.create', {
      agent,
      session: sessionId,
      ...(cwd !== undefined && { cwd }),
      ...(written !== undefined && { written }),
      ...(title !== undefined && { title }),
    });
  }

  async close(index: number): Promise<void> {
    const { open } = this.item(index);
    if (!open) return;
    const closed = this.ports.chats.close(open.chat);
    this.ports.editor.tell('chat.end', { chat: open.chat });
    await closed;
  }

  confirm(index: number): void {
    const item = this.item(index);
    this.ports.editor.tell('picker.open', { ...deletionPicker(item, index, this.canForget(item)) });
  }

  /** Deletes what was written down here, and at the agent where it can. */
  async remove(index: number): Promise<void> {
    const item = this.item(index);
    const { sessionId, files } = item;
    await this.close(index);
    try {
      if (this.canForget(item)) await this.borrow(this.shown!.query.spec).deleteSession(sessionId!);
      for (const file of files) await forgetJournal(file);
      this.tellUser(`"${titleOf(item)}" is deleted`, 'info');
    } catch (error) {
      this.tellUser(messageOf(error));
    }
  }

  async end(): Promise<void> {
    await this.link?.end();
  }

  private item(index: number): CatalogueItem {
    const item = this.shown?.items[index];
    if (!item) throw new AcpError('not_found', 'that list is old; :AcpSessions makes a new one');
    return item;
  }

  private canForget({ isKept }: CatalogueItem): boolean {
    return isKept && this.abilities.delete === true;
  }

  private isMeant(item: CatalogueItem, { action, isAll, spec }: SessionsQuery): boolean {
    if (action === 'close') return item.open !== undefined;
    if (action === 'delete' && item.files.length === 0 && !this.canForget(item)) return false;
    return isAll || item.open !== undefined || item.cwd === undefined || item.cwd === spec.cwd;
  }

  private async keptBy({ spec, isAll }: SessionsQuery): Promise<readonly KeptSession[]> {
    const giveUp = new AbortController();
    const timer = this.ports.clock.after(patienceMs, () => giveUp.abort());
    try {
      const link = this.borrow(spec);
      const { abilities = {} } = await Promise.race([link.ready, timeOut(spec.name, giveUp.signal)]);
      this.abilities = abilities;
      return abilities.list ? await link.listSessions(isAll ? undefined : spec.cwd, giveUp.signal) : [];
    } catch (error) {
      this.abilities = {};
      this.tellUser(`only what was written down here is listed: ${messageOf(error)}`);
      return [];
    } finally {
      timer.dispose();
    }
  }

  private borrow(spec: AgentSpec): AgentLink {
    const link = this.ports.launcher.launch(spec);
    this.link?.dispose();
    this.link = link;
    this.ports.clock.after(lingerMs, () => link.dispose());
    return link;
  }

  private tellUser(message: string, level = 'warn'): void {
    this.ports.editor.tell('user.notify', { message, level });
  }
}

function nothingFor({ action, isAll }: SessionsQuery): string {
  if (action === 'close') return 'no session is open';
  return isAll
    ? 'there are no sessions yet; :AcpChat begins one'
    : 'no sessions of this folder; :AcpSessions! lists all folders';
}

function timeOut(name: string, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const message = `${name} has not answered for ${patienceMs / 1000} s`;
    const fail = () => reject(new AcpError('agent_error', message));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
