import type { Disposable } from '../base.ts';
import { AcpError, messageOf } from '../errors.ts';
import type {
  AgentLauncher,
  AgentLink,
  AgentSpec,
  Clock,
  ElicitationRequest,
  Log,
  PermissionRequest,
  Services,
  SessionSink,
  Wish,
  Workspace,
} from '../ports.ts';
import type { AgentEvent, NoticeEvent, SessionEvent } from './events.ts';
import type { Outcome } from './form.ts';
import { type Act, take } from './form-walk.ts';
import type { JournalRecord } from './journal.ts';
import {
  type AgentIdentity,
  type AuthMethod,
  type Entry,
  emptySession,
  isBusy,
  type QuestionOption,
  type SessionState,
} from './model.ts';
import {
  begunAnew,
  endedByForce,
  historyUnknown,
  loggedOut,
  loginFailed,
  noticeOf,
  notOpenedAgain,
  startedAgain,
  stillStarting,
} from './notices.ts';
import { type Earlier, historyOf, howToOpen } from './opening.ts';
import { Questions } from './questions.ts';
import { reduce } from './reducer.ts';

const patienceMs = 30_000;

export interface SessionPorts {
  readonly launcher: AgentLauncher;
  readonly clock: Clock;
  readonly log: Log;
  readonly workspace?: Workspace;
}

export interface SessionWatcher {
  /** The state changed; `changed` are the entries that did. `isPast`: it happened before and is only told again. */
  onChange(event: SessionEvent, changed: readonly Entry[], isPast?: boolean): void;
  /** A prompt did not reach the agent: its text goes back to where it was written. */
  onPromptReturned(text: string): void;
  /** The agent's own program is to be run in a terminal once, so that the user can log in there. */
  onTerminalLogin(spec: AgentSpec, method: AuthMethod & { kind: 'terminal' }): void;
}

/** A conversation with one agent: what the user does, what the agent reports, and the order of both. */
export class Session implements SessionSink, Disposable {
  readonly state: SessionState;
  readonly services: (Services & Disposable) | undefined;
  private readonly spec: AgentSpec;
  private readonly ports: SessionPorts;
  private readonly watcher: SessionWatcher;
  private readonly questions: Questions;
  /** The agent that was started last, also when it has ended. */
  lastLink: AgentLink | undefined;
  private link: AgentLink | undefined;
  private sessionId: string | undefined;
  private earlier: Earlier | undefined;
  /** An agent tells again what the chat shows already. */
  private isDeaf = false;
  /** What can be given up: a login, or the opening of a session. */
  private patience = new AbortController();
  private afterLogin: (() => void)[] = [];
  private wishes = 1;
  /** Settles when the last turn is over. */
  private turn: Promise<void> = Promise.resolve();
  private impatience: Disposable | undefined;

  constructor(spec: AgentSpec, ports: SessionPorts, watcher: SessionWatcher, chat = 0) {
    this.spec = spec;
    this.services = ports.workspace?.open({
      chat,
      cwd: spec.cwd,
      directories: spec.directories ?? [],
      consent: (wish) => this.consent(wish),
    });
    this.ports = ports;
    this.watcher = watcher;
    this.state = emptySession(spec.name, ports.clock.now());
    this.questions = new Questions((questionId, answer, isAwaited) =>
      this.apply({ kind: 'question_settled', questionId, answer, ...(isAwaited && { isAwaited }) }),
    );
  }

  /** Says which conversation of before to go on with, once the agent is there. */
  goOnWith(sessionId: string, written: readonly JournalRecord[]): void {
    this.earlier = { sessionId, isShown: false, written };
  }

  /** Goes through what happened before, as a restarted host finds it written down. The agent of then is gone. */
  restore(records: readonly JournalRecord[]): void {
    for (const { at, event } of records) this.watcher.onChange(event, reduce(this.state, event, at), true);
    for (const { question } of [...this.state.questions]) {
      this.apply({ kind: 'question_settled', questionId: question.id, answer: 'not answered' });
    }
    this.apply({ kind: 'agent_gone', notice: startedAgain });
    const { sessionId } = this.state;
    if (sessionId !== undefined) this.earlier = { sessionId, isShown: true, written: [] };
    this.returnQueue();
  }

  /** Starts the agent, unless there is one. */
  start(isFresh = false): void {
    if (this.link) return;
    this.apply({ kind: 'agent_starting' });
    const link = this.launch(isFresh);
    if (!link) return;
    this.link = link;
    this.lastLink = link;
    this.patience = new AbortController();
    this.impatience = this.ports.clock.after(patienceMs, () =>
      this.apply(stillStarting(this.spec.name, patienceMs / 1000)),
    );
    void this.connect(link);
    void this.mourn(link);
  }

  /** Ends the agent and starts it anew; the transcript stays. */
  async restart(isFresh = true): Promise<void> {
    const link = this.link;
    this.detach();
    await link?.end();
    this.start(isFresh);
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
    if (this.state.phase !== 'running' || !this.link || this.sessionId === undefined) return;
    this.link.cancel(this.sessionId);
    this.apply({ kind: 'cancel_requested' });
    this.questions.cancelAll();
  }

  /** Changes a setting of the session, also while a turn runs. */
  async change(settingId: string, value: string | boolean): Promise<void> {
    const setting = this.state.settings.find(({ id }) => id === settingId);
    if (!setting || !this.link || this.sessionId === undefined) return;
    try {
      await this.link.change(this.sessionId, setting, value);
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
      this.watcher.onTerminalLogin(this.spec, method);
      return false;
    }
    try {
      await link.authenticate(methodId, this.patience.signal);
      if (this.link === link) await this.goOn(link);
      return true;
    } catch (error) {
      this.apply(noticeOf(asAcpError(error)));
      return false;
    }
  }

  /** After a login in a terminal only a new start of the agent knows of it. */
  async loginEnded(code: number): Promise<boolean> {
    if (code !== 0) this.apply(loginFailed(code));
    else await this.startKnown(true);
    return code === 0;
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

  answer(questionId: number, optionId: string | undefined): void {
    // An agent that offers no refusal is stopped instead.
    if (!this.questions.answer(questionId, optionId)) this.cancel();
  }

  /** Goes one step on in a form; `turn` is the step the user saw. */
  fill(questionId: number, turn: number, act: Act): void {
    const entry = this.state.questions.find(({ question }) => question.id === questionId);
    const elicitation = entry?.question.elicitation;
    if (elicitation?.kind !== 'form' || entry?.walk?.turn !== turn) return;
    const step = take(elicitation.form, entry.walk, act);
    if ('outcome' in step) this.questions.conclude(questionId, step.outcome);
    else this.apply({ kind: 'form_filled', questionId, walk: step.walk });
  }

  /** Takes what the user decided about a page. */
  conclude(questionId: number, outcome: Outcome, answer?: string): void {
    this.questions.conclude(questionId, outcome, answer);
  }

  report(event: AgentEvent): void {
    if (event.kind === 'page_done') this.questions.finishPage(event.pageId);
    if (!this.isDeaf || isAboutNow(event)) this.apply(event);
  }

  elicit(request: ElicitationRequest): Promise<Outcome> {
    if (this.state.phase === 'cancelling') return Promise.resolve({ action: 'cancel' });
    return this.questions.addElicitation(request, (question) =>
      this.apply({ kind: 'question_asked', question }),
    );
  }

  ask(request: PermissionRequest): Promise<string | undefined> {
    this.apply({ kind: 'tool', patch: request.tool });
    // What the agent asks after a cancel is part of what was cancelled.
    if (this.state.phase === 'cancelling') return Promise.resolve(undefined);
    return this.questions.add(request, (question) => this.apply({ kind: 'question_asked', question }));
  }

  /** Asks the user for something that the agent tries and no rule allows. */
  async consent({ kind, subject, reason, always }: Wish): Promise<boolean> {
    const toolCallId = `consent ${this.wishes++}`;
    const content = [{ kind: 'text', text: reason }] as const;
    const tool = { toolCallId, title: subject, toolKind: kind, content };
    const options = consentOptions(always?.name);
    const answer = await this.ask({ tool, options, withdrawn: new AbortController().signal });
    if (answer === 'always') always?.remember();
    const isAllowed = answer === 'allow' || answer === 'always';
    this.apply({ kind: 'tool', patch: { toolCallId, status: isAllowed ? 'done' : 'failed' } });
    return isAllowed;
  }

  dispose(): void {
    this.detach();
    this.services?.dispose();
  }

  /** Settles when the agent's program has ended. */
  async end(): Promise<void> {
    const link = this.link;
    this.dispose();
    await link?.end();
  }

  private launch(isFresh: boolean): AgentLink | undefined {
    try {
      return this.ports.launcher.launch(this.spec, isFresh);
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
      const sessionId = await this.open(link, agent);
      if (this.link !== link) return;
      this.impatience?.dispose();
      this.sessionId = sessionId;
      this.earlier = undefined;
      this.apply({ kind: 'session_opened', sessionId, agent: this.spec.name, cwd: this.spec.cwd });
      this.apply({ kind: 'agent_ready', agent });
      this.sendNext();
    } catch (error) {
      this.failToOpen(link, agent, asAcpError(error));
    }
  }

  private async open(link: AgentLink, agent: AgentIdentity): Promise<string> {
    const { cwd } = this.spec;
    const { earlier } = this;
    const how = howToOpen(agent.abilities ?? {}, earlier);
    if (earlier && how !== 'new') {
      try {
        return await this.openAgain(link, how, earlier);
      } catch (error) {
        if (this.link !== link || !isAnswer(asAcpError(error))) throw error;
        this.recall(earlier);
        this.apply(notOpenedAgain(asAcpError(error)));
      }
    }
    this.isDeaf = false;
    if (earlier && how === 'new') this.recall(earlier);
    const sessionId = await link.openSession({ how: 'new', cwd }, this, this.patience.signal);
    if (earlier && how === 'new' && hasSpoken(this.state)) this.apply(begunAnew);
    return sessionId;
  }

  private async openAgain(link: AgentLink, how: 'load' | 'resume', earlier: Earlier): Promise<string> {
    const { sessionId, isShown } = earlier;
    this.isDeaf = how === 'load' && isShown;
    if (how === 'load' && !isShown) this.apply({ kind: 'replay_started' });
    const opening = { how, sessionId, cwd: this.spec.cwd };
    await link.openSession(opening, this, this.patience.signal);
    if (how === 'resume' && !isShown && !this.recall(earlier)) this.apply(historyUnknown);
    return sessionId;
  }

  /** Shows what was written down, unless something is shown already. False when there is nothing. */
  private recall({ written }: Earlier): boolean {
    const history = hasSpoken(this.state) ? [] : historyOf(written);
    if (history.length > 0) this.apply({ kind: 'replay_started' });
    for (const event of history) this.apply(event);
    return history.length > 0;
  }

  // An agent that wants a login is there all the same, and so are the prompts that wait for it. One that wants it before
  // the handshake has told no way to log in.
  private failToOpen(link: AgentLink, agent: AgentIdentity | undefined, error: AcpError): void {
    if (!agent || error.code !== 'auth_required' || this.link !== link) return this.loseAgent(link, error);
    this.impatience?.dispose();
    this.apply({ kind: 'login_needed', agent, notice: noticeOf(error) });
  }

  private async startKnown(isFresh: boolean): Promise<void> {
    const waiting = this.state.queue.map((prompt) => prompt.text);
    this.apply({ kind: 'queue_cleared' });
    await this.restart(isFresh);
    for (const text of waiting) this.send(text);
  }

  private async goOn(link: AgentLink): Promise<void> {
    for (const retry of this.afterLogin.splice(0)) retry();
    if (this.sessionId === undefined) return this.connect(link);
    if (this.state.phase === 'login') this.apply({ kind: 'agent_ready', agent: this.state.agent });
    this.sendNext();
  }

  private sendNext(): void {
    const next = this.state.queue[0];
    if (!next || this.state.phase !== 'idle' || !this.link || this.sessionId === undefined) return;
    this.isDeaf = false;
    this.apply({ kind: 'turn_started', text: next.text });
    this.turn = this.runTurn(this.link, this.sessionId, next.text);
  }

  private async runTurn(link: AgentLink, sessionId: string, text: string): Promise<void> {
    const entriesBefore = this.state.entries.length;
    try {
      const stopReason = await link.prompt(sessionId, text);
      if (this.link === link) this.endTurn(stopReason);
    } catch (error) {
      if (this.link !== link) return;
      const isUnanswered = this.state.entries.length === entriesBefore;
      if (asAcpError(error).code === 'auth_required') return this.pauseForLogin(asAcpError(error), text);
      this.failTurn(link, asAcpError(error));
      if (isUnanswered) this.watcher.onPromptReturned(text);
    }
  }

  private endTurn(stopReason: string): void {
    this.questions.cancelAll();
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
    this.questions.cancelAll();
    this.apply({ kind: 'login_needed', agent: this.state.agent, notice: noticeOf(error) });
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
    const { sessionId } = this.state;
    if (sessionId !== undefined) this.earlier = { sessionId, isShown: true, written: [] };
    this.questions.cancelAll();
    this.apply(notice ? { kind: 'agent_gone', notice } : { kind: 'agent_gone' });
    this.returnQueue();
  }

  private returnQueue(): void {
    if (this.state.queue.length === 0) return;
    const text = this.state.queue.map((prompt) => prompt.text).join('\n\n');
    this.apply({ kind: 'queue_cleared' });
    this.watcher.onPromptReturned(text);
  }

  private apply(event: SessionEvent): void {
    this.watcher.onChange(event, reduce(this.state, event, this.ports.clock.now()));
  }
}

function consentOptions(always: string | undefined): readonly QuestionOption[] {
  return [
    { id: 'allow', name: 'Allow once', kind: 'allow_once' },
    ...(always === undefined ? [] : [{ id: 'always', name: always, kind: 'allow_always' as const }]),
    { id: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
}

/** The agent is there and said no, or we took it back. */
function isAnswer({ code }: AcpError): boolean {
  return code !== 'auth_required' && code !== 'agent_exited' && code !== 'bug';
}

function hasSpoken({ entries }: SessionState): boolean {
  return entries.some((entry) => entry.kind === 'message' && entry.role === 'user');
}

// What an earlier conversation was is one thing, how its session stands now another.
function isAboutNow({ kind }: AgentEvent): boolean {
  return (
    kind === 'commands' ||
    kind === 'settings' ||
    kind === 'setting' ||
    kind === 'mode' ||
    kind === 'usage' ||
    kind === 'title' ||
    kind === 'page_done'
  );
}

function asAcpError(error: unknown): AcpError {
  return error instanceof AcpError ? error : new AcpError('bug', messageOf(error), { cause: error });
}
