import type { Disposable } from '../base/disposable.ts';
import { absolutePath } from '../base/paths.ts';
import type { AuthMethod } from '../model/agent.ts';
import { callKey, type Entry, type ToolEntry } from '../model/entries.ts';
import type { ElicitationOutcome } from '../model/form.ts';
import {
  type JoinedPrompts,
  type Prompt,
  type QueuedPrompt,
  textPrompt,
  type WaitingPrompt,
} from '../model/prompt.ts';
import { canSteer, emptySession, isBusy, type SessionState, type SessionTraits } from '../model/session.ts';
import type { AgentEvent, CallBody, NoticeEvent, SessionEvent } from '../model/session-events.ts';
import type {
  AgentLink,
  AgentSpec,
  ElicitationRequest,
  PermissionRequest,
  SessionSink,
} from '../ports/agent.ts';
import type { OpenFile } from '../ports/editor-operations.ts';
import type { PermissionPolicy } from '../ports/permissions.ts';
import type { SettingDefaults } from '../ports/setting-defaults.ts';
import type { OpenWorkspace, Workspace } from '../ports/workspace.ts';
import { isRemoteAgent } from '../system/program-kinds.ts';
import { BodyLimit } from './body-limit.ts';
import type { AttachmentFiles } from './journal/attachment-files.ts';
import type { JournalRecord } from './journal/reader.ts';
import { ReceivedContent } from './journal/received-content.ts';
import { SessionLogin } from './login.ts';
import { allowsAllNow, asksAgain, cannotSteer, cutOff, stopNotice, updateNotShown } from './notices.ts';
import { SessionQuestions } from './questions/session-questions.ts';
import { reduce } from './reducer/reducer.ts';
import { renameSession } from './rename.ts';
import { SessionConnection, type SessionConnectionPorts } from './session-connection.ts';
import { SessionSettings } from './settings.ts';
import { Turns } from './turns.ts';
import { UnshownCommands } from './unshown-commands.ts';

/** A key that is pressed twice out of habit does not kill an agent that is about to stop. */
const stopGraceMs = 2_000;

export interface SessionPorts extends SessionConnectionPorts, SessionTraits {
  readonly workspace?: Workspace;
  /** The rules of the user. */
  readonly permissions?: PermissionPolicy;
  /** What new sessions of an agent start with. */
  readonly settingDefaults?: SettingDefaults;
  /** Question ids start here. Each host starts elsewhere, so that an answer never fits a question of another host. */
  readonly firstQuestionId?: number;
  /** Finds what the mentions of a text refer to. */
  readonly resolvePrompt?: (text: string) => Promise<Prompt>;
  /** The length of all texts of ended tool calls that may be in memory. */
  readonly maxBodies?: number;
  /** Keeps the pictures and sounds that the agent sends; without it they are dropped. */
  readonly attachments?: Pick<AttachmentFiles, 'keepLater'>;
}

export interface SessionWatcher {
  /** `changed` are the entries that changed. `isFromJournal`: the event was read from the journal. */
  onChange(event: SessionEvent, changed: readonly Entry[], isFromJournal?: boolean): void;
  /** Prompts did not reach the agent: they go back to the prompt buffer. */
  onPromptReturned(prompts: JoinedPrompts): void;
  /** Runs the agent's program in a terminal, where the user logs in. */
  onTerminalLogin(spec: AgentSpec, method: AuthMethod & { kind: 'terminal' }): void;
  /** Asks the user for an API key; the agent reads it from `variable`. */
  onKeyWanted?(methodId: string, variable: string): void;
}

/** A conversation with one agent: the user's actions, the agent's updates, and the order of both. */
export class Session implements SessionSink, Disposable {
  readonly state: SessionState;
  readonly services: OpenWorkspace | undefined;
  private readonly unshownCommands: UnshownCommands;
  readonly questions: SessionQuestions;
  readonly login: SessionLogin;
  readonly settings: SessionSettings;
  reportedOmissions?: string;
  private readonly chat: number;
  private readonly spec: AgentSpec;
  private readonly ports: SessionPorts;
  private readonly watcher: SessionWatcher;
  private readonly connection: SessionConnection;
  private readonly turns: Turns;
  private readonly received: ReceivedContent;
  private readonly bodyLimit: BodyLimit;
  private lastEventAt: number;
  /** When the turn was stopped. */
  private stoppedAt = 0;
  private hasReportedUpdateFailure = false;
  private isDisposed = false;
  private isAbandoned = false;
  /** The agent is started again, and the queue goes on then. */
  private keepsQueue = false;

  constructor(
    spec: AgentSpec,
    ports: SessionPorts,
    watcher: SessionWatcher,
    chat = 0,
    changesFolder?: string,
  ) {
    this.chat = chat;
    this.spec = spec;
    this.ports = ports;
    this.watcher = watcher;
    this.state = emptySession(spec.name, ports.clock.now(), ports);
    this.lastEventAt = ports.clock.elapsed();
    this.unshownCommands = new UnshownCommands({
      state: this.state,
      clock: ports.clock,
      apply: (event) => this.apply(event),
    });
    this.services = this.openWorkspace(chat, changesFolder);
    this.received = new ReceivedContent(ports.attachments);
    this.bodyLimit = new BodyLimit(this.state, ports.maxBodies);
    const apply = (event: SessionEvent) => this.apply(event);
    const { firstQuestionId, clock, log } = ports;
    this.questions = new SessionQuestions(this.state, apply, {
      folder: spec.cwd,
      firstQuestionId,
      policy: ports.permissions,
      place: { chat, agent: spec.name, cwd: spec.cwd, roots: rootsOf(spec) },
    });
    this.connection = new SessionConnection(spec, ports, {
      state: this.state,
      sink: this,
      apply,
      turnEnded: () => this.turns.current,
      prepare: (link, sessionId, isContinued) => this.settings.prepare(link, sessionId, isContinued),
      onReady: () => this.continueWaiting(),
      onDisconnected: (notice, isIdle) => this.handleDisconnect(notice, isIdle),
    });
    this.turns = new Turns(spec, this.connection, {
      state: this.state,
      clock,
      log,
      changes: this.services?.changes,
      apply,
      cancelQuestions: () => this.questions.cancelAll(),
      returnPrompts: (prompts) => watcher.onPromptReturned(prompts),
      resolve: async (text) => (await ports.resolvePrompt?.(text)) ?? textPrompt(text),
    });
    this.login = new SessionLogin(spec, this.connection, {
      state: this.state,
      apply,
      openTerminal: (agent, method) => watcher.onTerminalLogin(agent, method),
      askForKey: (methodId, variable) => watcher.onKeyWanted?.(methodId, variable),
      restart: (isFresh) => this.restartAfterLogin(isFresh),
    });
    this.settings = new SessionSettings(spec, {
      state: this.state,
      defaults: ports.settingDefaults,
      apply,
      session: () => this.connection.openSessionOfAgent,
      revive: () => this.connection.revive(),
      retryAfterLogin: (retry) => this.login.retryAfterLogin(retry),
    });
  }

  /** How long nothing has happened in the session, in milliseconds. */
  get idleMs(): number {
    return this.ports.clock.elapsed() - this.lastEventAt;
  }

  /** The agent that was started last, also after its end. */
  get lastLink(): AgentLink | undefined {
    return this.connection.lastLink;
  }

  /** Makes the next start continue an earlier session. `title` is its title, if known. */
  continueSession(sessionId: string, title?: string): void {
    this.connection.opener.continueSession(sessionId);
    this.settings.isChosen = true;
    if (title !== undefined && title !== this.state.title) this.apply({ kind: 'title', title });
  }

  /** Makes the next start continue with a copy of a session. */
  forkSession(sessionId: string, title?: string): void {
    this.connection.opener.forkSession(sessionId);
    this.settings.isChosen = true;
    if (title !== undefined && title !== this.state.title) this.apply({ kind: 'title', title });
  }

  /** Gives the session a title, at the agent if it takes one. */
  rename(title: string): Promise<void> {
    return renameSession(title, {
      state: this.state,
      apply: (event) => this.apply(event),
      session: () => this.connection.openSessionOfAgent,
    });
  }

  /**
   * Replays a journal. Its agent is gone; `notice` is the reason. Returns false if there are no records. The prompts that
   * wait are held, except for those whose ids say that the user has them elsewhere.
   */
  replayJournal(
    records: Iterable<JournalRecord>,
    notice?: NoticeEvent,
    elsewhere: readonly string[] = [],
  ): boolean {
    let isEmpty = true;
    for (const { at, event } of records) {
      isEmpty = false;
      try {
        const changed = reduce(this.state, event, at);
        this.watcher.onChange(event, changed, true);
        const cut = this.bodyLimit.follow(event, changed);
        if (cut) reduce(this.state, cut, at);
      } catch (error) {
        this.ports.log.error(`could not show an event of the journal (${event.kind})`, error);
      }
    }
    if (isEmpty) return false;
    // Neovim takes the first event as a sign that the journal has them no more.
    this.filterQueue(({ id }) => id === undefined || !elsewhere.includes(id));
    const { unsent } = this.state;
    this.turns.requeueUnsent(elsewhere);
    for (const { question } of [...this.state.questions]) {
      this.apply({ kind: 'question_settled', questionId: question.id, answer: 'not answered' });
    }
    const isCutOff = isBusy(this.state) || this.state.isCutOff;
    this.apply({ kind: 'agent_gone', notice: isCutOff ? cutOff(notice, unsent !== undefined) : notice });
    this.connection.opener.continueShownSession();
    this.turns.recover();
    return true;
  }

  /** Puts a notice into the chat. */
  notify(notice: NoticeEvent): void {
    this.apply(notice);
  }

  /** Puts back the texts of a call, which were read from the journal. */
  restoreBody(call: ToolEntry, body: CallBody): void {
    this.apply({ kind: 'body_read', call: callKey(call), body });
  }

  /** Puts the summary of a turn into the chat. */
  summarise(event: Extract<SessionEvent, { kind: 'turn_summary' }>): void {
    this.apply(event);
  }

  /** Starts the agent unless it runs. */
  start(): void {
    this.connection.start();
  }

  /** Ends the agent because it is idle. The next prompt starts it again, and the session continues. */
  rest(): Promise<void> {
    return this.connection.rest();
  }

  /** Starts the agent again if it was ended because it was idle. */
  revive(): Promise<void> {
    return this.connection.revive();
  }

  /** Whether both sessions use the same program. */
  sharesAgentWith(other: Session): boolean {
    const [link, otherLink] = [this.connection.link, other.connection.link];
    return link !== undefined && otherLink !== undefined && link.sharesProgramWith(otherLink);
  }

  /** Restarts the agent's program for this session and the others that use it. The transcripts stay. */
  async restart(others: readonly Session[] = []): Promise<void> {
    if (this.connection.isRestarting) return;
    const { link } = this.connection;
    this.connection.holdForRestart();
    for (const other of others) other.holdWithQueue();
    // The new program must not start before the old one has ended: some agents lock the session until then.
    await link?.endProgram();
    for (const session of [this, ...others]) session.connection.startAgain();
  }

  /** The user has begun to write a prompt. */
  async prepareTurn(): Promise<void> {
    await this.services?.changes?.prepareTurn();
  }

  /** A prompt is about to be sent. `open` are the files that were open when the user sent it. */
  expectTurn(open?: readonly OpenFile[]): void {
    if (this.state.phase === 'idle') this.services?.changes?.expectTurn(open);
  }

  /** Sends a prompt, or queues it until the agent is ready. */
  send(prompt: Prompt): void {
    this.expectTurn();
    this.turns.enqueue(prompt);
    this.startForPrompt();
    this.turns.sendNext();
  }

  /** Sends a prompt into the running turn, or as `send` does if no turn runs or the agent can't take it. */
  steer(prompt: Prompt): void {
    if (!canSteer(this.state)) {
      if (this.state.phase === 'running') this.apply(cannotSteer(this.state.agent.title, prompt.text));
      return this.send(prompt);
    }
    this.turns.steer(prompt);
  }

  /** Cancels the turn and holds the queued prompts. A later call kills the agent if it has not stopped. */
  cancel(): void {
    this.keepQueue();
    this.connection.cancelPending();
    if (this.state.phase !== 'cancelling') return this.stopTurn();
    const waitedMs = this.ports.clock.elapsed() - this.stoppedAt;
    if (waitedMs >= stopGraceMs) this.connection.kill();
  }

  /** Stops a subagent; the turn goes on. */
  stopSubagent(sessionId: string): void {
    this.connection.link?.agent.cancel(sessionId);
  }

  /** Sends a queued prompt at once: stops the running turn, and sends it when that has ended. */
  sendNow(text: string): boolean {
    if (!this.turns.moveToFront(text)) return false;
    if (this.state.phase === 'running') this.stopTurn();
    else {
      this.startForPrompt();
      this.turns.sendNext();
    }
    return true;
  }

  /** Sends the prompts that are held. */
  resumeQueue(): void {
    this.startForPrompt();
    this.turns.resume();
  }

  /** Holds the queued prompts until the user resumes the queue. */
  pauseQueue(): void {
    this.turns.hold();
  }

  /** Changes the queue from some texts to others. */
  editQueue(base: readonly string[], texts: readonly string[]): void {
    this.turns.edit(base, texts);
  }

  /** Adds the prompts that another host or chat has left, unless they are known or were sent. They are held. */
  restoreQueue(prompts: readonly WaitingPrompt[]): void {
    const { queue, entries } = this.state;
    const known = new Set(queue.map(({ id }) => id));
    for (const entry of entries) if (entry.kind === 'message') known.add(entry.promptId);
    const missing = prompts.filter(({ id }) => !known.has(id) && known.add(id));
    if (missing.length === 0) return;
    this.turns.recover([...queue, ...missing.map(({ id, text }) => textPrompt(text, id))]);
  }

  /** Removes the queued prompts that are not meant. */
  filterQueue(isMeant: (prompt: QueuedPrompt) => boolean): void {
    const { queue } = this.state;
    const rest = queue.filter(isMeant);
    if (rest.length < queue.length) this.turns.setQueue(rest);
  }

  /** Neovim is gone, or it ends this process: the turn ends without the user, and whoever opens the journal says so. */
  abandon(): void {
    this.isAbandoned = true;
  }

  /** Allows everything but what is destructive, unclear or outside of the folders, or ends that. */
  setAllowAll(isOn: boolean): void {
    if (this.state.allowsAll === isOn) return;
    this.apply({ kind: 'allow_all', isOn });
    this.apply(isOn ? allowsAllNow : asksAgain);
  }

  /** Changes a setting of the session, also while a turn runs. */
  changeSetting(settingId: string, value: string | boolean): Promise<void> {
    return this.settings.change(settingId, value);
  }

  report(event: AgentEvent): void {
    try {
      // The prompt of the turn shows them already.
      if (event.kind === 'attachment' && event.role === 'user' && isBusy(this.state)) return;
      if (event.kind === 'page_done') this.questions.finishPage(event.pageId);
      // Usage follows a complete answer of the model. Agents that send message ids mark the ends of messages themselves.
      const { openMessage } = this.state;
      if (event.kind === 'usage' && openMessage && openMessage.messageId === undefined) {
        this.report({ kind: 'chunk', role: openMessage.role, text: '', isCompleteMessage: true });
      }
      if (this.connection.opener.accepts(event)) this.apply(event);
    } catch (error) {
      this.reportUpdateFailure(event, error);
    }
  }

  elicit(request: ElicitationRequest): Promise<ElicitationOutcome> {
    return this.questions.elicit(request);
  }

  ask(request: PermissionRequest): Promise<string | undefined> {
    return this.questions.askPermission(request);
  }

  dispose(): void {
    this.isDisposed = true;
    this.unshownCommands.dispose();
    this.connection.dispose();
    this.questions.cancelAll(true);
    // `end` and the workspace wait for it.
    void this.services?.end();
  }

  /** Resolves when the agent's program has ended. */
  async end(): Promise<void> {
    const { link } = this.connection;
    this.dispose();
    this.ports.permissions?.forget(this.chat);
    await Promise.all([link?.end(), this.connection.rested(), this.services?.end()]);
  }

  private openWorkspace(chat: number, changesFolder: string | undefined): OpenWorkspace | undefined {
    const { cwd, directories = [] } = this.spec;
    return this.ports.workspace?.open({
      chat,
      cwd,
      directories,
      changesFolder,
      isRemote: isRemoteAgent(this.spec),
      consent: (request) => this.questions.consent.request(request),
      ruleAbout: (action) => this.questions.ruleAbout(action),
      cancelCount: () => this.questions.cancelCount,
      usePermission: (run) => this.questions.allowed.consume(run),
      hasPermissions: () => this.questions.allowed.isWaiting,
      onCommand: (terminalId) => this.unshownCommands.add(terminalId),
      report: (patch) => {
        this.apply({ kind: 'terminal', patch });
        this.unshownCommands.follow(patch);
      },
      resolveConflict: (conflict, withdrawn) => this.questions.conflicts.ask(conflict, withdrawn),
      notice: (title) => this.apply({ kind: 'notice', severity: 'info', title }),
    });
  }

  private startForPrompt(): void {
    this.start();
    this.connection.skipLogin();
  }

  private continueWaiting(): void {
    this.login.runRetries();
    // The prompt continues a conversation that the agent does not know.
    if (this.connection.hasLostMemory) this.turns.returnQueue();
    this.connection.hasLostMemory = false;
    this.turns.sendNext();
  }

  private stopTurn(): void {
    // Agents also ask outside of turns.
    const isRunning = this.state.phase === 'running';
    const isAsked = this.state.questions.some(({ question }) => !question.isOurs);
    const { link, sessionId } = this.connection;
    if ((!isRunning && !isAsked) || !link || sessionId === undefined) return;
    link.agent.cancel(sessionId);
    if (isRunning) {
      this.stoppedAt = this.ports.clock.elapsed();
      this.apply({ kind: 'cancel_requested' });
    }
    this.questions.cancelAll();
  }

  // Prompts that wait for the agent to start go back to where they were written: they were not queued on purpose.
  private keepQueue({ phase }: Pick<SessionState, 'phase'> = this.state): void {
    if (this.keepsQueue) return;
    if ((phase === 'starting' || phase === 'login') && !this.isDisposed) this.turns.returnQueue();
    this.turns.hold();
  }

  private handleDisconnect(notice: NoticeEvent | undefined, isIdle: boolean): void {
    this.questions.cancelAll();
    this.services?.abandon();
    const { phase } = this.state;
    const isStopped = isBusy(this.state) && this.isDisposed && !this.isAbandoned;
    // First: a host that is killed in between has not lost it.
    if (!this.isAbandoned) this.turns.requeueUnsent();
    const reason = notice ?? (isStopped ? stopNotice('cancelled', false) : undefined);
    this.apply({ kind: 'agent_gone', notice: reason, ...(isIdle && { isIdle }) });
    this.keepQueue({ phase });
  }

  private holdWithQueue(): void {
    this.disconnectWithQueue(() => this.connection.holdForRestart());
  }

  private disconnectWithQueue(disconnect: () => void): void {
    this.keepsQueue = true;
    disconnect();
    this.keepsQueue = false;
  }

  private async restartAfterLogin(isFresh: boolean): Promise<void> {
    const { link } = this.connection;
    this.disconnectWithQueue(() => this.connection.disconnect());
    await link?.end();
    this.connection.start(isFresh);
    this.start();
    this.turns.sendNext();
  }

  // A faulty update must not end the session. The notice appears once per chat; the log has every case.
  private reportUpdateFailure({ kind }: AgentEvent, error: unknown): void {
    this.ports.log.error(`could not apply an update of ${this.spec.name} (${kind})`, error);
    if (!this.hasReportedUpdateFailure) this.apply(updateNotShown);
    this.hasReportedUpdateFailure = true;
  }

  private apply(received: SessionEvent): void {
    if (received.kind === 'turn_ended' || received.kind === 'agent_gone') this.unshownCommands.showAll();
    const event = this.received.keep(received);
    if (event.kind === 'agent_starting') this.settings.noteStart();
    this.lastEventAt = this.ports.clock.elapsed();
    const changed = reduce(this.state, event, this.ports.clock.now());
    this.watcher.onChange(event, changed);
    if (event.kind === 'settings') this.settings.noteSettings();
    this.services?.changes?.onEvent(event, this.state);
    const cut = this.bodyLimit.follow(event, changed);
    if (cut) this.apply(cut);
  }
}

/** The folders of the session, absolute. */
function rootsOf({ cwd, directories = [] }: AgentSpec): readonly string[] {
  return [cwd, ...directories.map((name) => absolutePath(name, cwd))];
}
