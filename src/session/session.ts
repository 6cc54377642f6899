import type { Disposable } from '../base.ts';
import { AcpError, asAcpError } from '../errors.ts';
import type {
  AgentLauncher,
  AgentLink,
  AgentSpec,
  ElicitationRequest,
  PermissionRequest,
  SessionSink,
} from '../ports/agent.ts';
import type { Clock, Log } from '../ports/host.ts';
import type { ChangeWatch, OpenWorkspace, Workspace } from '../ports/workspace.ts';
import { isElsewhere } from '../program-kinds.ts';
import { addedVariables, wholeLineOf } from '../workspace/program.ts';
import { Asking } from './asking.ts';
import type { AgentEvent, NoticeEvent, SessionEvent } from './events.ts';
import type { Outcome } from './form.ts';
import type { JournalRecord } from './journal-reader.ts';
import {
  type AgentIdentity,
  type AuthMethod,
  type Entry,
  emptySession,
  isBusy,
  type SessionState,
  type Setting,
} from './model.ts';
import {
  backAgain,
  endedByForce,
  loggedIn,
  loggedOut,
  loginCommand,
  loginDone,
  loginFailed,
  noticeOf,
  notOffered,
  notShown,
  settingChanged,
  stillStarting,
  withLoginHint,
} from './notices.ts';
import { hasSpoken, Opener } from './opener.ts';
import { reduce } from './reducer.ts';

const patienceMs = 30_000;
const baselineMs = 2_000;

export interface SessionPorts {
  readonly launcher: AgentLauncher;
  readonly clock: Clock;
  readonly log: Log;
  readonly workspace?: Workspace;
  /** Ids of questions begin here. Each host has its own beginning, so that no answer counts for a question of another. */
  readonly firstQuestionId?: number;
}

export interface SessionWatcher {
  /** The state changed; `changed` are the entries that did. `isPast`: it happened before and is only told again. */
  onChange(event: SessionEvent, changed: readonly Entry[], isPast?: boolean): void;
  /** A prompt did not reach the agent: its text goes back to where it was written. */
  onPromptReturned(text: string): void;
  /** The agent's own program is to be run in a terminal once, so that the user can log in there. */
  onTerminalLogin(spec: AgentSpec, method: AuthMethod & { kind: 'terminal' }): void;
  /** The user is to be asked for a key; `variable` is where the agent looks for it. */
  onKeyWanted?(methodId: string, variable: string): void;
}

/** A conversation with one agent: what the user does, what the agent reports, and the order of both. */
export class Session implements SessionSink, Disposable {
  readonly state: SessionState;
  readonly services: OpenWorkspace | undefined;
  private readonly spec: AgentSpec;
  private readonly ports: SessionPorts;
  private readonly watcher: SessionWatcher;
  readonly asking: Asking;
  private readonly opener: Opener;
  /** The agent that was started last, also when it has ended. */
  lastLink: AgentLink | undefined;
  private link: AgentLink | undefined;
  private sessionId: string | undefined;
  /** What can be given up: a login, or the opening of a session. */
  private patience = new AbortController();
  private afterLogin: (() => void)[] = [];
  /** Keys that the user gave for this chat, as variables of the agent's process. */
  private keys: Readonly<Record<string, string>> = {};
  /** Settles when the last start has led to a session or failed to. */
  private connecting: Promise<void> = Promise.resolve();
  /** Settles when the last turn is over. */
  private turn: Promise<void> = Promise.resolve();
  private impatience: Disposable | undefined;
  /** The program is ended and will be started again: nothing else may start it meanwhile. */
  private isRestarting = false;
  /** The agent was started again because the user wanted it, and the chat is to say so. */
  private isComingBack = false;
  private isDisposed = false;
  /** The user knows that something of the agent could not be shown. */
  private hasTrouble = false;

  constructor(spec: AgentSpec, ports: SessionPorts, watcher: SessionWatcher, chat = 0, state?: string) {
    this.spec = spec;
    this.services = ports.workspace?.open({
      chat,
      cwd: spec.cwd,
      directories: spec.directories ?? [],
      state,
      isElsewhere: isElsewhere(spec),
      consent: (wish) => this.asking.consent(wish),
      cancels: () => this.asking.cancels,
      takeAllowed: (run) => this.asking.allowed.take(run),
      report: (patch) => this.apply({ kind: 'terminal', patch }),
      settle: (conflict, withdrawn) => this.asking.conflicts.settle(conflict, withdrawn),
      say: (title) => this.apply({ kind: 'notice', severity: 'info', title }),
    });
    this.ports = ports;
    this.watcher = watcher;
    this.state = emptySession(spec.name, ports.clock.now());
    const apply = (event: SessionEvent) => this.apply(event);
    const { firstQuestionId } = ports;
    this.asking = new Asking(this.state, apply, { folder: spec.cwd, firstQuestionId });
    const patience = () => this.patience.signal;
    const { clock } = ports;
    this.opener = new Opener({ cwd: spec.cwd, state: this.state, sink: this, clock, apply, patience });
  }

  /** Says which conversation of before to go on with, once the agent is there, and what its title is if that is known. */
  goOnWith(sessionId: string, title?: string): void {
    this.opener.goOnWith(sessionId);
    if (title !== undefined && title !== this.state.title) this.apply({ kind: 'title', title });
  }

  /** Goes through what was written down before. The agent of then is gone; `notice` says why. False when there is nothing. */
  restore(records: Iterable<JournalRecord>, notice?: NoticeEvent): boolean {
    let isEmpty = true;
    for (const { at, event } of records) {
      isEmpty = false;
      try {
        this.watcher.onChange(event, reduce(this.state, event, at), true);
      } catch (error) {
        this.ports.log.error(`a ${event.kind} of the transcript was not shown`, error);
      }
    }
    if (isEmpty) return false;
    for (const { question } of [...this.state.questions]) {
      this.apply({ kind: 'question_settled', questionId: question.id, answer: 'not answered' });
    }
    this.apply(notice ? { kind: 'agent_gone', notice } : { kind: 'agent_gone' });
    this.opener.goOnWithShown();
    this.returnQueue();
    return true;
  }

  /** Tells the user something in the chat. */
  say(notice: NoticeEvent): void {
    this.apply(notice);
  }

  /** Starts the agent, unless there is one. */
  start(isFresh = false): void {
    if (this.link || this.isRestarting || this.isDisposed) return;
    this.apply({ kind: 'agent_starting' });
    const link = this.launch(isFresh);
    if (!link) return;
    this.link = link;
    this.lastLink = link;
    this.patience = new AbortController();
    this.impatience = this.ports.clock.after(patienceMs, () =>
      this.apply(stillStarting(this.spec.name, patienceMs / 1000)),
    );
    this.connecting = this.connect(link);
    void this.mourn(link);
  }

  /** Whether the same program serves both. */
  sharesAgentWith(other: Session): boolean {
    return this.link !== undefined && other.link !== undefined && this.link.sharesProgramWith(other.link);
  }

  /** Ends the agent's program and starts it anew for this session and the others that use it; the transcripts stay. */
  async restart(others: readonly Session[] = []): Promise<void> {
    if (this.isRestarting) return;
    const { link } = this;
    this.pause();
    for (const other of others) other.pauseWithQueue();
    // Two programs at once would fight for the same conversation: some agents lock it until they end.
    await link?.endProgram();
    for (const session of [this, ...others]) session.comeBack();
  }

  /** Sends a prompt, now or as soon as the agent is ready for it. */
  send(text: string): void {
    this.apply({ kind: 'prompt_queued', text });
    this.start();
    this.sendNext();
  }

  /** Stops the running turn. What was queued behind it goes back to the user. A second time means: by force. */
  cancel(): void {
    this.returnQueue();
    this.patience.abort();
    this.patience = new AbortController();
    if (this.state.phase === 'cancelling') return this.force();
    // Agents ask outside of turns too.
    const isRunning = this.state.phase === 'running';
    const isAsked = this.state.questions.some(({ question }) => !question.isOurs);
    if (!isRunning && !isAsked) return;
    if (!this.link || this.sessionId === undefined) return;
    this.link.cancel(this.sessionId);
    if (isRunning) this.apply({ kind: 'cancel_requested' });
    this.asking.cancelAll();
  }

  /** Changes a setting of the session, also while a turn runs. */
  async change(settingId: string, value: string | boolean): Promise<void> {
    const setting = this.state.settings.find(({ id }) => id === settingId);
    if (!setting || !this.link || this.sessionId === undefined) return;
    // The agent may have changed what it offers while the user was choosing.
    if (!isOffered(setting, value)) return this.apply(notOffered(setting.name, value));
    try {
      await this.link.change(this.sessionId, setting, value);
      const now = this.state.settings.find(({ id }) => id === settingId);
      // The mode is in the bar above the chat.
      if (now && now.category !== 'mode') this.apply(settingChanged(now));
    } catch (error) {
      if (asAcpError(error).code === 'auth_required') {
        this.afterLogin.push(() => void this.change(settingId, value));
      }
      this.apply(noticeOf(asAcpError(error)));
    }
  }

  /**
   * Logs in and goes on with what waited for it. True when the agent knows the user from then on; a login in a terminal
   * is the user's, and `loginEnded` tells how it went.
   */
  async login(methodId: string): Promise<boolean> {
    const link = this.link;
    const method = this.state.agent.authMethods?.find(({ id }) => id === methodId);
    if (!link || !method) return false;
    if (method.kind === 'terminal') {
      this.apply(commandNotice(this.spec, method));
      this.watcher.onTerminalLogin(this.spec, method);
      return false;
    }
    if (method.variable !== undefined && !this.hasVariable(method.variable)) {
      this.watcher.onKeyWanted?.(method.id, method.variable);
      return false;
    }
    try {
      await link.authenticate(methodId, this.patience.signal);
      this.apply(loggedIn(this.state.agent.title));
      if (this.link === link) await this.goOn(link);
      return true;
    } catch (error) {
      this.apply(withLoginHint(asAcpError(error), this.spec, false));
      return false;
    }
  }

  /** Starts the agent again with a key in its environment, which is kept nowhere else, and logs in with it. */
  async loginWithKey(methodId: string, key: string): Promise<boolean> {
    const method = this.state.agent.authMethods?.find(({ id }) => id === methodId);
    if (method?.kind !== 'agent' || method.variable === undefined || key === '') return false;
    this.keys = { ...this.keys, [method.variable]: key };
    await this.startKnown(true);
    await this.connecting;
    if (this.state.phase === 'login') return this.login(methodId);
    if (this.link) this.apply(loggedIn(this.state.agent.title));
    return this.link !== undefined;
  }

  /** After a login in a terminal only a new start of the agent knows of it. */
  async loginEnded(code: number): Promise<boolean> {
    if (code !== 0) {
      this.apply(loginFailed(code));
      return false;
    }
    await this.startKnown(true);
    this.apply(loginDone(this.state.agent.title));
    return true;
  }

  /** Somebody logged in to the same agent elsewhere: what waits for that here goes on too. */
  async loggedInElsewhere(): Promise<void> {
    if (this.state.phase === 'login') await this.startKnown(false);
  }

  async logout(): Promise<void> {
    try {
      await this.link?.logout();
      this.apply(loggedOut);
    } catch (error) {
      this.apply(noticeOf(asAcpError(error)));
    }
  }

  report(event: AgentEvent): void {
    try {
      if (event.kind === 'page_done') this.asking.finishPage(event.pageId);
      // The model has answered. An agent that names its messages says itself what belongs together.
      const { open } = this.state;
      if (event.kind === 'usage' && open && open.messageId === undefined) {
        this.report({ kind: 'chunk', role: open.role, text: '', isWhole: true });
      }
      if (this.opener.hears(event)) this.apply(event);
    } catch (error) {
      this.sayTrouble(event, error);
    }
  }

  elicit(request: ElicitationRequest): Promise<Outcome> {
    return this.asking.elicit(request);
  }

  ask(request: PermissionRequest): Promise<string | undefined> {
    return this.asking.askFor(request);
  }

  dispose(): void {
    this.isDisposed = true;
    this.detach();
    this.asking.cancelAll(true);
    this.services?.dispose();
  }

  /** Settles when the agent's program has ended. */
  async end(): Promise<void> {
    const link = this.link;
    this.dispose();
    await link?.end();
  }

  private pause(): void {
    this.isRestarting = true;
    this.detach();
    this.apply({ kind: 'agent_starting' });
  }

  private pauseWithQueue(): void {
    const waiting = this.state.queue.map((prompt) => prompt.text);
    this.apply({ kind: 'queue_cleared' });
    this.pause();
    this.requeue(waiting);
  }

  private comeBack(): void {
    this.isRestarting = false;
    this.isComingBack = true;
    this.start();
  }

  private launch(isFresh: boolean): AgentLink | undefined {
    try {
      const env = { ...this.spec.env, ...this.keys };
      return this.ports.launcher.launch({ ...this.spec, env }, isFresh);
    } catch (error) {
      // As late as every other failure: a prompt is taken before it is given back.
      queueMicrotask(() => this.detach(noticeOf(asAcpError(error))));
      return undefined;
    }
  }

  // An exit in the middle of a turn is told by the turn, which also gives an unanswered prompt back.
  private async mourn(link: AgentLink): Promise<void> {
    const error = await link.gone;
    while (this.link === link && isBusy(this.state)) await this.turn;
    this.loseAgent(link, error);
  }

  private async connect(link: AgentLink): Promise<void> {
    let agent: AgentIdentity | undefined;
    try {
      agent = await link.ready;
      if (this.link === link) this.apply({ kind: 'agent_known', agent });
      const sessionId = await this.opener.open(link, agent, () => this.link === link);
      if (this.link !== link) return;
      this.impatience?.dispose();
      this.sessionId = sessionId;
      this.apply({ kind: 'session_opened', sessionId, agent: this.spec.name, cwd: this.spec.cwd });
      this.apply({ kind: 'agent_ready', agent });
      this.tellBack(agent);
      this.goOnWithWaiting();
    } catch (error) {
      this.failToOpen(link, agent, asAcpError(error));
    }
  }

  // That it does not remember what was said has been told when its new session was opened.
  private tellBack({ title }: AgentIdentity): void {
    const { isComingBack } = this;
    this.isComingBack = false;
    const isKnown = hasSpoken(this.state);
    if (isComingBack && (this.opener.hasMemory || !isKnown)) this.apply(backAgain(title, isKnown));
  }

  // An agent that wants a login is there all the same, and so are the prompts that wait for it. One that wants it before
  // the handshake has told no way to log in.
  private failToOpen(link: AgentLink, agent: AgentIdentity | undefined, error: AcpError): void {
    if (!agent || error.code !== 'auth_required' || this.link !== link) return this.loseAgent(link, error);
    this.impatience?.dispose();
    const notice = withLoginHint(error, this.spec, (agent.authMethods ?? []).length > 0);
    this.apply({ kind: 'login_needed', agent, notice });
  }

  private hasVariable(name: string): boolean {
    const value = this.keys[name] ?? this.spec.env[name] ?? process.env[name];
    return value !== undefined && value !== '';
  }

  private async startKnown(isFresh: boolean): Promise<void> {
    const waiting = this.state.queue.map((prompt) => prompt.text);
    const { link } = this;
    this.apply({ kind: 'queue_cleared' });
    this.detach();
    await link?.end();
    this.start(isFresh);
    for (const text of waiting) this.send(text);
  }

  private async goOn(link: AgentLink): Promise<void> {
    if (this.sessionId === undefined) return this.connect(link);
    if (this.state.phase === 'login') this.apply({ kind: 'agent_ready', agent: this.state.agent });
    this.goOnWithWaiting();
  }

  private goOnWithWaiting(): void {
    for (const retry of this.afterLogin.splice(0)) retry();
    this.sendNext();
  }

  private sendNext(): void {
    const next = this.state.queue[0];
    if (!next || this.state.phase !== 'idle' || !this.link || this.sessionId === undefined) return;
    this.opener.listen();
    this.apply({ kind: 'turn_started', text: next.text });
    this.turn = this.runTurn(this.link, this.sessionId, next.text);
  }

  private async runTurn(link: AgentLink, sessionId: string, text: string): Promise<void> {
    const entriesBefore = this.state.entries.length;
    try {
      if (this.services?.changes) await this.noteFiles(this.services.changes, text);
      if (this.link !== link) return;
      const stopReason = await link.prompt(sessionId, text);
      if (this.link === link) this.endTurn(stopReason);
    } catch (error) {
      if (this.link !== link) return;
      const isUnanswered = this.state.entries.length === entriesBefore;
      // What was cancelled is not sent again after a login.
      const isWanted = this.state.phase !== 'cancelling';
      if (isWanted && asAcpError(error).code === 'auth_required') {
        return this.pauseForLogin(asAcpError(error), text);
      }
      this.failTurn(link, asAcpError(error));
      if (isUnanswered) this.watcher.onPromptReturned(text);
    }
  }

  // What the files are before the agent gets to them; one with very many must not make the user wait.
  private async noteFiles(changes: ChangeWatch, text: string): Promise<void> {
    await new Promise<void>((resolve) => {
      const patience = this.ports.clock.after(baselineMs, resolve);
      const noted = changes.beginTurn(text);
      noted.catch((error: unknown) => this.ports.log.error('what the files are was not noted', error));
      const goOn = () => {
        patience.dispose();
        resolve();
      };
      noted.then(goOn, goOn);
    });
    if (this.state.phase === 'cancelling') throw new AcpError('cancelled', 'stopped before it was sent');
  }

  private endTurn(stopReason: string): void {
    this.asking.cancelAll();
    this.opener.endTurn();
    this.apply({ kind: 'turn_ended', stopReason });
    this.sendNext();
  }

  private failTurn(link: AgentLink, error: AcpError): void {
    if (error.code === 'agent_exited') return this.loseAgent(link, error);
    // An error that answers our cancel is the cancellation.
    if (error.code === 'cancelled' || this.state.phase === 'cancelling') return this.endTurn('cancelled');
    this.apply(noticeOf(error));
    this.returnQueue();
    this.endTurn('end_turn');
  }

  // The prompt is the first to be sent once the agent knows the user.
  private pauseForLogin(error: AcpError, text: string): void {
    const others = this.state.queue.map((prompt) => prompt.text);
    this.asking.cancelAll();
    const { agent } = this.state;
    const notice = withLoginHint(error, this.spec, (agent.authMethods ?? []).length > 0);
    this.apply({ kind: 'login_needed', agent, notice });
    this.requeue([text, ...others]);
  }

  private requeue(texts: readonly string[]): void {
    this.apply({ kind: 'queue_cleared' });
    for (const text of texts) this.apply({ kind: 'prompt_queued', text });
  }

  private loseAgent(link: AgentLink, error: AcpError | undefined): void {
    if (this.link !== link) return;
    const wasBusy = isBusy(this.state);
    this.detach(error && noticeOf(error, wasBusy));
    if (error?.code === 'bug') this.ports.log.error('an agent was lost', error);
  }

  private force(): void {
    this.link?.kill();
    this.detach(endedByForce(this.spec.name));
  }

  private detach(notice?: NoticeEvent): void {
    this.impatience?.dispose();
    this.patience.abort();
    this.link?.dispose();
    this.link = undefined;
    this.sessionId = undefined;
    this.opener.goOnWithShown();
    this.asking.cancelAll();
    this.services?.abandon();
    this.apply(notice ? { kind: 'agent_gone', notice } : { kind: 'agent_gone' });
    this.returnQueue();
  }

  private returnQueue(): void {
    if (this.state.queue.length === 0) return;
    const text = this.state.queue.map((prompt) => prompt.text).join('\n\n');
    this.apply({ kind: 'queue_cleared' });
    this.watcher.onPromptReturned(text);
  }

  // An agent may send anything. What is wrong with it is the trouble of this chat alone, and said once.
  private sayTrouble({ kind }: AgentEvent, error: unknown): void {
    this.ports.log.error(`a ${kind} of ${this.spec.name} was not applied`, error);
    if (!this.hasTrouble) this.apply(notShown);
    this.hasTrouble = true;
  }

  private apply(event: SessionEvent): void {
    this.watcher.onChange(event, reduce(this.state, event, this.ports.clock.now()));
    this.services?.changes?.hear(event, this.state);
  }
}

function commandNotice(
  { cwd }: AgentSpec,
  { command: [command = '', ...args], env, isOther }: AuthMethod & { kind: 'terminal' },
): NoticeEvent {
  const variables = addedVariables(process.env, { env }).map((variable) => `with ${variable}`);
  const warning = isOther ? ['This program is not the one that you configured for the agent.'] : [];
  return loginCommand(wholeLineOf({ command, args }), [`in ${cwd}`, ...variables, ...warning]);
}

function isOffered({ current, choices }: Setting, value: Setting['current']): boolean {
  if (typeof current === 'boolean') return typeof value === 'boolean';
  return choices.some((choice) => choice.value === value);
}
