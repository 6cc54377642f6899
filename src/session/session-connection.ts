import type { Disposable } from '../base/disposable.ts';
import { type AcpError, asAcpError } from '../base/errors.ts';
import type { AgentIdentity } from '../model/agent.ts';
import { isPromptUnanswered } from '../model/entries.ts';
import { isBusy, type SessionState } from '../model/session.ts';
import type { NoticeEvent, SessionEvent } from '../model/session-events.ts';
import type { AgentLauncher, AgentLink, AgentSpec, SessionSink } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import {
  agentKilled,
  agentRestarted,
  errorNotice,
  stillStarting,
  withLoginHint,
  withRetryHint,
} from './notices.ts';
import { hasUserMessage, SessionOpener } from './open-session.ts';

const slowStartMs = 30_000;

export interface SessionConnectionPorts {
  readonly launcher: AgentLauncher;
  readonly clock: Clock;
  readonly log: Log;
}

/** The session that a connection serves. */
interface ConnectedSession {
  readonly state: SessionState;
  readonly sink: SessionSink;
  apply(event: SessionEvent): void;
  /** Settles when the running turn is over. */
  turnEnded(): Promise<void>;
  /** Changes what the session starts with; nothing is sent to the agent before it settles. */
  prepare(link: AgentLink, sessionId: string, isContinued: boolean): Promise<void> | undefined;
  /** The agent has opened the session, or accepted a login. */
  onReady(): void;
  /** The agent is gone; `notice` is the reason, if the user should know it. */
  onDisconnected(notice: NoticeEvent | undefined, isIdle: boolean): void;
}

/** The agent behind a session: starts it, opens the session with it, and handles its exit. */
export class SessionConnection {
  readonly opener: SessionOpener;
  /** The running agent. */
  link: AgentLink | undefined;
  /** The agent that was started last, also after its end. */
  lastLink: AgentLink | undefined;
  /** Known once the agent has opened the session. */
  sessionId: string | undefined;
  /** Settles when the last start has opened a session or failed. */
  opened: Promise<void> = Promise.resolve();
  private readonly spec: AgentSpec;
  private readonly ports: SessionConnectionPorts;
  private readonly session: ConnectedSession;
  private cancellation = new AbortController();
  /** API keys that the user typed in this chat, as environment variables of the agent's process. */
  private keys: Readonly<Record<string, string>> = {};
  private slowStartTimer: Disposable | undefined;
  /** Set from the end of the old program to the start of the new one, so that nothing else starts one. */
  isRestarting = false;
  /** The user asked for the restart, so a notice confirms it. */
  private isUserRestart = false;
  private isDisposed = false;
  /** Settles when the program that `rest` ends has ended. */
  private resting: Promise<void> | undefined;
  private isStartWanted = false;
  /** The agent that was started last was ended before because it was idle. */
  private isRevived = false;
  /** The agent was started again and does not know the conversation that the chat shows. */
  hasLostMemory = false;

  constructor(spec: AgentSpec, ports: SessionConnectionPorts, session: ConnectedSession) {
    this.spec = spec;
    this.ports = ports;
    this.session = session;
    const { state, sink } = session;
    this.opener = new SessionOpener({
      cwd: spec.cwd,
      state,
      sink,
      clock: ports.clock,
      apply: (event) => session.apply(event),
      cancellation: () => this.cancelSignal,
    });
  }

  /** Aborted when the user cancels a login or the opening of a session. */
  get cancelSignal(): AbortSignal {
    return this.cancellation.signal;
  }

  /** The running agent with the session that it has opened. */
  get openSessionOfAgent(): { readonly link: AgentLink; readonly sessionId: string } | undefined {
    const { link, sessionId } = this;
    return link && sessionId !== undefined ? { link, sessionId } : undefined;
  }

  /** Starts the agent unless it runs. `isFresh`: in a program of its own, not in one that other chats use. */
  start(isFresh = false): void {
    if (this.link || this.isRestarting || this.isDisposed) return;
    if (this.resting) {
      this.isStartWanted = true;
      return;
    }
    this.isRevived = this.session.state.isEndedIdle;
    this.session.apply({ kind: 'agent_starting' });
    const link = this.launch(isFresh);
    if (!link) return;
    this.link = link;
    this.lastLink = link;
    this.cancellation = new AbortController();
    this.slowStartTimer = this.ports.clock.after(slowStartMs, () =>
      this.session.apply(stillStarting(this.session.state.agent.title, slowStartMs / 1000)),
    );
    this.opened = this.openSession(link);
    // It never rejects: `gone` always resolves, and the rest handles its own errors.
    void this.watchForExit(link);
  }

  /** Continues after a login: opens the session, or reports that it is ready again. */
  async resume(link: AgentLink): Promise<void> {
    if (this.sessionId === undefined) return this.openSession(link);
    const { phase, agent } = this.session.state;
    if (phase === 'login') this.session.apply({ kind: 'agent_ready', agent });
    this.session.onReady();
  }

  /** A model may have refused one prompt only. If the session is open, the next prompt finds out without a login. */
  skipLogin(): void {
    const { phase, agent } = this.session.state;
    if (phase === 'login' && this.openSessionOfAgent) this.session.apply({ kind: 'agent_ready', agent });
  }

  /** Cancels a login, or the opening of the session. */
  cancelPending(): void {
    this.cancellation.abort();
    this.cancellation = new AbortController();
  }

  /** Disconnects until `startAgain` is called; until then nothing starts the agent. */
  holdForRestart(): void {
    this.isRestarting = true;
    this.disconnect();
    this.session.apply({ kind: 'agent_starting' });
  }

  startAgain(): void {
    this.isRestarting = false;
    this.isUserRestart = true;
    this.start();
  }

  /** Ends the agent because it is idle. */
  async rest(): Promise<void> {
    const { link, opener, session } = this;
    if (!link) return;
    const isUnused = !opener.isContinued && !hasUserMessage(session.state);
    this.disconnect(undefined, true);
    // Agents do not keep a session in which nothing was said.
    if (isUnused) opener.forgetShownSession();
    // The new program must not start before the old one has ended: some agents lock the session until then.
    this.resting = link.end().catch(this.logEndFailure);
    await this.resting;
    this.resting = undefined;
    if (!this.isStartWanted) return;
    this.isStartWanted = false;
    this.start();
  }

  /** Starts an agent again that was ended because it was idle; resolves when it has opened the session. */
  async revive(): Promise<void> {
    if (!this.session.state.isEndedIdle) return;
    await this.resting;
    this.start();
    await this.opened;
  }

  /** Resolves when the program of an idle agent has ended. */
  async rested(): Promise<void> {
    await this.resting;
  }

  kill(): void {
    this.link?.kill().catch(this.logEndFailure);
    this.disconnect(agentKilled(this.session.state.agent.title));
  }

  disconnect(notice?: NoticeEvent, isIdle = false): void {
    this.slowStartTimer?.dispose();
    this.cancellation.abort();
    this.link?.end().catch(this.logEndFailure);
    this.link = undefined;
    this.sessionId = undefined;
    this.opener.continueShownSession();
    this.session.onDisconnected(notice, isIdle);
  }

  dispose(): void {
    this.isDisposed = true;
    this.disconnect();
  }

  handleExit(link: AgentLink, error: AcpError | undefined): void {
    if (this.link !== link) return;
    this.disconnect(error && this.exitNotice(error));
    if (error?.code === 'bug') this.ports.log.error(`the connection to ${this.spec.name} failed`, error);
  }

  private exitNotice(error: AcpError): NoticeEvent {
    const { state } = this.session;
    const notice = errorNotice(error, isBusy(state));
    return isBusy(state) && !isPromptUnanswered(state.entries) ? withRetryHint(notice) : notice;
  }

  /** Sets a variable of the agent's environment for the next start. */
  setKey(variable: string, key: string): void {
    this.keys = { ...this.keys, [variable]: key };
  }

  hasVariable(name: string): boolean {
    const value = this.keys[name] ?? this.spec.env[name] ?? process.env[name];
    return value !== undefined && value !== '';
  }

  private launch(isFresh: boolean): AgentLink | undefined {
    try {
      const env = { ...this.spec.env, ...this.keys };
      const { title } = this.session.state.agent;
      return this.ports.launcher.launch({ ...this.spec, env, title }, isFresh);
    } catch (error) {
      // Deferred as every other failure is: the caller queues its prompt first, and then gets it back.
      queueMicrotask(() => this.disconnect(errorNotice(asAcpError(error))));
      return undefined;
    }
  }

  // If a turn is running, the turn reports the exit, because it also returns an unanswered prompt.
  private async watchForExit(link: AgentLink): Promise<void> {
    const error = await link.gone;
    while (this.link === link && isBusy(this.session.state)) await this.session.turnEnded();
    this.handleExit(link, error);
  }

  private async openSession(link: AgentLink): Promise<void> {
    const { session, spec } = this;
    let agent: AgentIdentity | undefined;
    try {
      agent = await link.agent.ready;
      if (this.link === link) session.apply({ kind: 'agent_known', agent });
      const sessionId = await this.opener.open(link, agent, () => this.link === link);
      if (this.link !== link) return;
      const preparing = session.prepare(link, sessionId, this.opener.isContinued);
      if (preparing) await preparing;
      if (this.link !== link) return;
      this.slowStartTimer?.dispose();
      this.sessionId = sessionId;
      session.apply({ kind: 'session_opened', sessionId, agent: spec.name, cwd: spec.cwd });
      session.apply({ kind: 'agent_ready', agent });
      this.hasLostMemory = this.isRevived && !this.opener.isContinued && hasUserMessage(session.state);
      this.reportRestart(agent);
      session.onReady();
    } catch (error) {
      this.handleOpenFailure(link, agent, asAcpError(error));
    }
  }

  // A new session has its own notice that the agent has no memory of the messages above.
  private reportRestart({ title }: AgentIdentity): void {
    const { isUserRestart } = this;
    this.isUserRestart = false;
    const hasHistory = hasUserMessage(this.session.state);
    if (isUserRestart && (this.opener.isContinued || !hasHistory))
      this.session.apply(agentRestarted(title, hasHistory));
  }

  // An agent that requires a login stays connected, and queued prompts wait for the login. Before the handshake there
  // are no login methods to offer.
  private handleOpenFailure(link: AgentLink, agent: AgentIdentity | undefined, error: AcpError): void {
    if (!agent || error.code !== 'auth_required' || this.link !== link) return this.handleExit(link, error);
    this.slowStartTimer?.dispose();
    const notice = withLoginHint(error, this.spec, { hasMethods: (agent.authMethods ?? []).length > 0 });
    this.session.apply({ kind: 'login_needed', agent, notice });
  }

  private readonly logEndFailure = (error: unknown) =>
    this.ports.log.error(`could not end ${this.spec.name}`, error);
}
