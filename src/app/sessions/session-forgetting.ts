import os from 'node:os';
import path from 'node:path';
import { AcpError } from '../../base/errors.ts';
import { displayPath } from '../../base/paths.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { Log } from '../../ports/log.ts';
import { HistoryFile } from '../../prompt/history-file.ts';
import { type JournaledSession, listJournaledSessions } from '../../session/journal/journal-list.ts';
import { isOfOtherNeovim } from '../../session/journal/journal-name.ts';
import {
  deleteKept,
  draftsOf,
  existing,
  type KeptFile,
  keptOfJournal,
} from '../../session/journal/kept-files.ts';
import { showsSession } from '../../session/session-list.ts';
import { sessionTitle } from '../../view/pickers/sessions.ts';
import { forgetPicker, type ForgetItem as ShownItem } from '../../view/sessions/forget.ts';
import type { Chat } from '../chat/chat.ts';
import type { Chats } from '../chats.ts';

interface ForgettingPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
  readonly chats: Pick<Chats, 'all' | 'get' | 'close' | 'find'>;
  onDeleted(): void;
}

type ForgetItem = ShownItem<KeptFile>;

interface KeptPlace {
  /** The folder of what is kept. */
  readonly folder: string;
  /** The process id of this Neovim. */
  readonly pid: number;
}

/** What the user was shown, and may consent to. */
interface Plan {
  readonly ask: number;
  readonly what: string;
  readonly files: readonly KeptFile[];
  readonly chats: readonly number[];
}

/** Deletes what is kept of a session or of a folder, after it was shown. */
export class SessionForgetting {
  private readonly ports: ForgettingPorts;
  private plan: Plan | undefined;
  private asks = 0;
  /** The process id of this Neovim. */
  private pid = 0;

  constructor(ports: ForgettingPorts) {
    this.ports = ports;
  }

  /** Shows what is kept of the session of a chat: all its journals, also those of earlier chats with it. */
  async showSession(id: number, { folder: state, pid }: KeptPlace): Promise<void> {
    this.pid = pid;
    const chat = this.ports.chats.get(id);
    chat.flush();
    const sessions = await listJournaledSessions(state);
    const own = sessions.filter((each) => showsSession(chat.summary(), each));
    const journals = new Set([chat.journalFile, ...own.map(({ file }) => file)]);
    const used = [...journals].filter((file) => file !== chat.journalFile && this.isUsedElsewhere(file));
    const files = await this.keptOf([...journals].filter((file) => !used.includes(file)));
    const item = { ...this.describeChat(chat), files };
    this.ask({ what: 'this session', files, chats: [id] }, [item], used.length);
  }

  /** Shows what is kept of all sessions of a folder, with drafts and remembered prompts. */
  async showFolder(cwd: string, { folder: state, pid }: KeptPlace): Promise<void> {
    this.pid = pid;
    const { chats } = this.ports;
    const open = chats.all.filter((chat) => chat.place.cwd === cwd);
    for (const chat of open) chat.flush();
    const sessions = (await listJournaledSessions(state, { includesEmpty: true })).filter(
      (each) => each.cwd === cwd,
    );
    const isOpen = (file: string) => open.some((chat) => chat.journalFile === file);
    const closed = sessions.filter(({ file }) => !isOpen(file));
    const used = closed.filter(({ file }) => this.isUsedElsewhere(file));
    const items = await Promise.all([
      ...open.map(async (chat) => ({
        ...this.describeChat(chat),
        files: await this.keptOf([chat.journalFile]),
      })),
      ...closed.filter((each) => !used.includes(each)).map((each) => this.describeJournal(each)),
    ]);
    const rest = await this.restOf(cwd, state, items);
    const all = [...items, ...(rest.files.length > 0 ? [rest] : [])];
    const plan = { what: displayPath(cwd, '\0', os.homedir()), files: all.flatMap(({ files }) => files) };
    this.ask({ ...plan, chats: open.map(({ id }) => id) }, all, used.length);
  }

  /** Deletes what was shown, and nothing else. */
  async run(ask: number): Promise<void> {
    const { editor, chats, onDeleted } = this.ports;
    const { plan } = this;
    if (plan?.ask !== ask)
      throw new AcpError('not_found', 'the list is out of date; :AcpForget makes a new one');
    this.plan = undefined;
    for (const chat of plan.chats.filter((id) => chats.find(id))) {
      const closed = chats.close(chat);
      // The draft is written when the chat is closed.
      await editor.call('chat.end', { chat });
      await closed;
    }
    await deleteKept(plan.files);
    editor.notify('info', `deleted what was kept of ${plan.what}`);
    onDeleted();
  }

  private ask(plan: Omit<Plan, 'ask'>, items: readonly ForgetItem[], inUse: number): void {
    const { editor, clock } = this.ports;
    if (plan.files.length === 0 && plan.chats.length === 0)
      return editor.notify('info', `nothing is kept of ${plan.what}`);
    this.asks += 1;
    this.plan = { ...plan, ask: this.asks };
    const { what } = plan;
    const picker = forgetPicker({ ask: this.asks, what, items, inUse, now: clock.now() });
    editor.send('picker.open', { ...picker });
  }

  private async keptOf(journals: readonly string[]): Promise<readonly KeptFile[]> {
    return (await Promise.all(journals.map(keptOfJournal))).flat();
  }

  private describeChat(chat: Chat): Omit<ForgetItem, 'files'> {
    const { agent, updatedAt, ...open } = chat.summary();
    const title = sessionTitle({ ...open, open: chat.summary() });
    return { title, agent, updatedAt, isOpen: true };
  }

  private async describeJournal(session: JournaledSession): Promise<ForgetItem> {
    const { agent, updatedAt, file, title, chosenTitle } = session;
    const name = sessionTitle({ ...session, title: chosenTitle ?? title, open: undefined });
    return { title: name, agent, updatedAt, isOpen: false, files: await keptOfJournal(file) };
  }

  // Drafts of chats without a conversation, and the prompts of the folder.
  private async restOf(cwd: string, state: string, items: readonly ForgetItem[]): Promise<ForgetItem> {
    const known = new Set(items.flatMap(({ files }) => files.map((file) => file.path)));
    const drafts = await draftsOf(state, cwd);
    const { file } = new HistoryFile(path.join(state, 'history'), cwd, this.ports.log);
    const prompts = await existing([
      ['prompts', file],
      ['prompts', `${file}.1`],
    ]);
    const isFree = ({ path: draft }: KeptFile) => !known.has(draft) && !this.isUsedElsewhere(draft);
    return { title: 'The folder', isOpen: false, files: [...drafts.filter(isFree), ...prompts] };
  }

  private isUsedElsewhere(file: string): boolean {
    return isOfOtherNeovim(file, this.pid);
  }
}
