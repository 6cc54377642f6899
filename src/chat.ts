import os from 'node:os';
import type { Disposable } from './base.ts';
import { ChatDiffs } from './chat-diffs.ts';
import { ChatNews } from './chat-news.ts';
import { ChatRestore } from './chat-restore.ts';
import { ChatReview } from './chat-review.ts';
import { ChatTraffic } from './chat-traffic.ts';
import { AcpError, messageOf } from './errors.ts';
import type { RenderLoop } from './nvim/render-loop.ts';
import type { AgentSpec } from './ports/agent.ts';
import type { Clock, Editor, Log } from './ports/host.ts';
import { QuestionDialogs } from './question-dialogs.ts';
import type { OpenSession } from './session/catalogue.ts';
import type { NoticeEvent, SessionEvent } from './session/events.ts';
import { changesFolder, type Journal } from './session/journal.ts';
import { JournalReader } from './session/journal-reader.ts';
import {
  type AuthMethod,
  type Entry,
  isBusy,
  isWaitingForUser,
  type Setting,
  type TerminalState,
} from './session/model.ts';
import { damaged, loginAdvice, startedAgain } from './session/notices.ts';
import { Session, type SessionPorts, type SessionWatcher } from './session/session.ts';
import type { TerminalWindows } from './terminal-windows.ts';
import { cutText } from './view/body.ts';
import { ChatView } from './view/chat.ts';
import { diffsOf } from './view/diff.ts';
import { loginPicker, loginRunPicker, type Picker, settingPicker, settingsPicker } from './view/pickers.ts';
import { PlanView } from './view/plan.ts';
import { sanitiseLine } from './view/sanitise.ts';
import { terminalsOf } from './view/terminal.ts';
import { Changes } from './workspace/changes/changes.ts';

const tickMs = 1_000;

export interface ChatPorts extends SessionPorts {
  readonly editor: Editor;
  readonly renderLoop: RenderLoop;
  /** Where commands are shown. */
  readonly terminals?: Pick<TerminalWindows, 'show'>;
}

/** A conversation of before, and where it was written down. */
export interface Before {
  readonly session: string;
  readonly written: string | undefined;
  /** What its agent calls it. */
  readonly title?: string | undefined;
}

/** A session and the buffer that shows it. */
export class Chat implements SessionWatcher, Disposable {
  readonly session: Session;
  readonly traffic: ChatTraffic;
  private readonly diffs: ChatDiffs;
  private readonly id: number;
  private readonly view: ChatView;
  private readonly plan: PlanView;
  private isPlanShown = false;
  private readonly changes: ReturnType<Chat['changesOf']>;
  private readonly journal: Journal;
  private readonly editor: Editor;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly renderLoop: RenderLoop;
  readonly questions: QuestionDialogs;
  private readonly news: ChatNews;
  private readonly terminals: ChatPorts['terminals'];
  private ticking: Disposable | undefined;
  private readonly spec: AgentSpec;
  /** The login in a terminal that the user was shown last. */
  private login:
    | {
        readonly run: number;
        readonly command: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string;
      }
    | undefined;
  /** What Neovim was last told to keep in memory. */
  private told: { readonly commands: unknown; readonly sessionId: unknown } | undefined;
  /** The sessions that the chat shows something of. */
  private readonly sessionIds = new Set<string>();

  constructor(id: number, spec: AgentSpec, journal: Journal, ports: ChatPorts) {
    this.id = id;
    this.spec = spec;
    this.journal = journal;
    this.editor = ports.editor;
    this.clock = ports.clock;
    this.log = ports.log;
    this.renderLoop = ports.renderLoop;
    this.terminals = ports.terminals;
    this.session = new Session(spec, ports, this, id, journal.changesFolder);
    this.traffic = new ChatTraffic(id, ports, () => this.session.lastLink?.traffic);
    this.news = new ChatNews(this.session.state);
    this.view = new ChatView(this.session.state, {
      chat: id,
      cwd: spec.cwd,
      home: os.homedir(),
      // What was shown once is never lost.
      onFrame: () => journal.flush(),
      onError: (error) => ports.log.error('an entry was not drawn', error),
    });
    this.plan = new PlanView(this.session.state, id);
    this.diffs = new ChatDiffs(id, this.view, ports, () => this.renderLoop.request(this.view));
    const { session, view, diffs } = this;
    const { editor, renderLoop } = ports;
    this.questions = new QuestionDialogs({ chat: id, session, view, diffs, editor, renderLoop });
    this.changes = this.changesOf(this.session.services?.changes, ports);
    journal.onTrouble = (notice) => this.session.say(notice);
  }

  get review(): ChatReview {
    return this.watched.review;
  }

  get restore(): ChatRestore {
    return this.watched.restore;
  }

  /** The user has saved a file. */
  async saved(file: string): Promise<void> {
    await this.changes?.known.saved(file);
  }

  /** The user has read a file again. */
  async reread(file: string): Promise<void> {
    await this.changes?.known.reread(file);
  }

  /** Brings back what an earlier host wrote down, or else goes on with what the user chose; then starts the agent. */
  start(before?: Before): void {
    const isBack = this.bringBack(this.journal.reader(), startedAgain);
    if (!isBack && before) this.reopen(before);
    this.session.start();
  }

  /** How the conversation stands, for a list of them. */
  summary(): OpenSession {
    const { state } = this.session;
    const asked = state.entries.find((entry) => entry.kind === 'message' && entry.role === 'user');
    const firstWords = asked?.kind === 'message' ? asked.text.toString() : undefined;
    return {
      chat: this.id,
      agent: state.agent.name,
      sessionId: state.sessionId,
      shownIds: [...this.sessionIds],
      cwd: this.view.cwd,
      title: state.title,
      firstPrompt: firstWords,
      updatedAt: state.entries.at(-1)?.at ?? state.since,
      isWaiting: isWaitingForUser(state),
      isBusy: isBusy(state),
    };
  }

  onChange(event: SessionEvent, changed: readonly Entry[], isPast = false): void {
    this.view.touch(changed);
    if (event.kind === 'session_opened') this.sessionIds.add(event.sessionId);
    if (isPast) return;
    this.journal.record(event);
    this.renderLoop.request(this.view, event.kind === 'turn_ended');
    if (this.isPlanShown && changed.some(({ kind }) => kind === 'plan')) this.renderLoop.request(this.plan);
    // The state is complete only between events, and most events are chunks: they change no life cycle.
    if (event.kind === 'chunk') return;
    if (event.kind === 'tool') this.diffs.follow(changed);
    this.keepTime();
    this.tellFacts();
    this.traffic.follow();
    void this.questions.follow(event);
    const news = this.news.of(event, changed);
    if (news !== undefined) this.editor.tell('chat.news', { chat: this.id, text: news });
  }

  onPromptReturned(text: string): void {
    this.editor.tell('prompt.restore', { chat: this.id, text });
  }

  onTerminalLogin({ env, cwd }: AgentSpec, method: AuthMethod & { kind: 'terminal' }): void {
    const run = (this.login?.run ?? 0) + 1;
    const { command } = method;
    this.login = { run, command, env: { ...env, ...method.env }, cwd };
    this.pick(loginRunPicker({ chat: this.id, run }, this.session.state.agent.title, method));
  }

  /** The user has confirmed what they were shown. */
  runLogin(run: number): void {
    if (this.login?.run !== run) return;
    const { command, env, cwd } = this.login;
    this.editor.tell('login.run', { chat: this.id, command, env, cwd });
  }

  onKeyWanted(method: string, variable: string): void {
    const prompt = `Key for ${sanitiseLine(this.session.state.agent.title)} (${variable}): `;
    this.editor.tell('login.ask', { chat: this.id, method, prompt });
  }

  /** Lets the user choose how to log in. */
  showLogin(): void {
    const { agent } = this.session.state;
    const methods = agent.authMethods ?? [];
    if (methods.length > 0) return this.pick(loginPicker(this.id, agent.title, methods));
    this.tellUser(`${agent.title}: ${loginAdvice(this.spec.login)}, then :AcpRestart`);
  }

  async logout(): Promise<void> {
    const { agent } = this.session.state;
    if (agent.abilities?.logout) await this.session.logout();
    else this.tellUser(`${agent.title} can't be told to log out; use its own program`);
  }

  /** Takes a prompt; from here on it is in the queue, and not only in the buffer it was written in. */
  send(text: string): void {
    this.session.send(text);
    this.editor.tell('prompt.accepted', { chat: this.id, text });
  }

  /** A file that the agent knows was changed by another program, and in its buffer by the user. */
  changedOnDisk(file: string): void {
    this.session.services?.files?.changedOnDisk?.(file).catch((error: unknown) => {
      this.tellUser(messageOf(error));
    });
  }

  /** Lets the user set one thing about the session, named or of a category, or first choose which. */
  showSetting({ id, category }: { id: string | undefined; category: string | undefined }): void {
    const { settings, agent } = this.session.state;
    const meant = settingsMeant(settings, id, category);
    const isOne = meant.length === 1 && (id ?? category) !== undefined;
    if (isOne) return this.pick(settingPicker(this.id, meant[0]!));
    if (meant.length > 0) return this.pick(settingsPicker(this.id, meant));
    const what = category ?? id ?? 'setting';
    this.tellUser(`${agent.title} offers no ${what} to choose`);
  }

  showPlan(): void {
    this.isPlanShown = true;
    this.renderLoop.show(this.plan);
  }

  hidePlan(): void {
    this.isPlanShown = false;
    this.renderLoop.forget(this.plan);
  }

  /** What the user's Lua is told a method beyond the protocol is about. */
  get context(): object {
    const { agent, sessionId } = this.session.state;
    return {
      chat: this.id,
      agent: agent.name,
      ...(sessionId !== undefined && { session: sessionId }),
    };
  }

  /** Goes to what an entry is about: the terminal of a command; else it is opened or closed where it is. */
  async open(block: number): Promise<void> {
    const { entries, terminals } = this.session.state;
    const entry = entries.find(({ id }) => id === block);
    const [terminal] = entry?.kind === 'tool' ? terminalsOf(entry, terminals) : [];
    const whole = terminal ?? (entry && this.wholeOf(entry));
    if (!whole || !this.terminals) return this.toggle(block);
    await this.terminals.show(whole.terminalId, whole);
  }

  // A long text that stands there already, but not whole.
  private wholeOf(entry: Entry): TerminalState | undefined {
    const isShown = entry.kind === 'notice' || entry.kind === 'plan' || this.view.isOpen(entry.id);
    const text = isShown ? cutText(entry) : undefined;
    const command = entry.kind === 'tool' ? entry.title : entry.kind;
    return text === undefined
      ? undefined
      : { terminalId: `text ${this.id}/${entry.id}`, command, cwd: undefined, text, exit: undefined };
  }

  /** Writes the transcript to disk. */
  flush(): void {
    this.journal.flush();
  }

  redraw(): void {
    this.told = undefined;
    this.tellFacts();
    this.renderLoop.show(this.view);
  }

  /** Goes to what a line stands for; asks the question it shows; else opens or closes it. */
  async openEntry(block: number, line: number): Promise<void> {
    const { entry, target } = this.view.targetAt(block, line) ?? {};
    if (entry?.kind === 'tool' && target) await this.diffs.open(entry, target);
    else if (entry?.kind === 'question' && entry.answer === undefined)
      this.questions.show({ id: entry.question.id });
    else await this.open(block);
  }

  /** Shows the change a line belongs to side by side, or all those of a call. */
  async compareEntry(block: number, line: number): Promise<void> {
    const { entry } = this.view.targetAt(block, line) ?? {};
    const tool = entry?.kind === 'question' ? entry.tool : entry;
    if (tool?.kind !== 'tool' || diffsOf(tool).length === 0) return this.tellUser('there is no change here');
    const change = this.view.changeAt(block, line);
    await (change === undefined ? this.diffs.compareAll(tool) : this.diffs.compare(tool, change));
  }

  toggle(block: number): void {
    this.view.toggle(block);
    this.renderLoop.request(this.view);
  }

  /** Ends it; settles when nothing of it is written any more. */
  async end(): Promise<void> {
    this.dispose();
    await this.changes?.known.end();
  }

  dispose(): void {
    this.session.dispose();
    this.journal.dispose();
    this.traffic.dispose();
    this.changes?.review.dispose();
    this.ticking?.dispose();
    this.renderLoop.forget(this.view);
    this.renderLoop.forget(this.plan);
  }

  // What was written down here tells more than the agent will.
  private reopen({ session, written, title }: Before): void {
    this.sessionIds.add(session);
    if (written !== undefined) {
      this.journal.adopt(written);
      this.bringBack(new JournalReader(written, this.log));
      this.changes?.known.ledger.adopt(changesFolder(written));
    }
    this.session.goOnWith(session, title);
  }

  private bringBack(reader: JournalReader, notice?: NoticeEvent): boolean {
    const isBack = this.session.restore(reader.records(), notice);
    if (reader.damaged > 0) this.session.say(damaged(reader.damaged));
    return isBack;
  }

  private get watched() {
    if (!this.changes) throw new AcpError('unsupported', 'what this session changes is not watched');
    return this.changes;
  }

  private changesOf(changes: unknown, ports: ChatPorts) {
    if (!(changes instanceof Changes)) return undefined;
    const { id: chat } = this;
    const { cwd } = this.view;
    const place = { chat, cwd, agent: () => this.session.state.agent.title };
    return {
      known: changes,
      review: new ChatReview(changes, place, ports),
      restore: new ChatRestore(changes.restoring, chat, cwd, ports.editor),
    };
  }

  private tellUser(message: string): void {
    this.editor.tell('user.notify', { message, level: 'warn' });
  }

  private pick(picker: Picker): void {
    this.editor.tell('picker.open', { chat: this.id, ...picker });
  }

  // Neovim needs these while the user types or their Lua runs, and must not wait for us then.
  private tellFacts(): void {
    const { commands, sessionId } = this.session.state;
    if (this.told && this.told.commands === commands && this.told.sessionId === sessionId) return;
    this.told = { commands, sessionId };
    this.editor.tell('chat.facts', { chat: this.id, commands, context: this.context });
  }

  // One slow pulse while time is shown, none otherwise.
  private keepTime(): void {
    const { state } = this.session;
    const isTimed = isBusy(state) || state.phase === 'starting';
    if (isTimed && !this.ticking) {
      this.ticking = this.clock.every(tickMs, () => {
        this.view.tick();
        this.renderLoop.request(this.view);
      });
    } else if (!isTimed) {
      this.ticking?.dispose();
      this.ticking = undefined;
    }
  }
}

// An agent may put more than the model into the category of models; the one with its name is meant.
function settingsMeant(
  settings: readonly Setting[],
  id: string | undefined,
  category: string | undefined,
): readonly Setting[] {
  if (id !== undefined) return settings.filter((setting) => setting.id === id);
  if (category === undefined) return settings;
  const all = settings.filter((setting) => setting.category === category);
  const named = all.filter((setting) => setting.id === category);
  return named.length > 0 ? named : all;
}
