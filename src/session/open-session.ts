import { type AcpError, asAcpError } from '../base/errors.ts';
import type { AgentCapabilities, AgentIdentity } from '../model/agent.ts';
import type { SessionState } from '../model/session.ts';
import type { AgentEvent, SessionEvent } from '../model/session-events.ts';
import type { AgentLink, OpenSessionOptions, SessionSink } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import { reopenFailed, resumedWithoutHistory, startedWithoutMemory } from './notices.ts';
import { Replay } from './replay.ts';

interface SessionOpenerPorts {
  readonly cwd: string;
  readonly state: SessionState;
  readonly sink: SessionSink;
  readonly clock: Clock;
  apply(event: SessionEvent): void;
  /** Aborted when the user cancels the opening. */
  cancellation(): AbortSignal;
}

/** An earlier session that the chat should continue. */
interface EarlierSession {
  readonly sessionId: string;
  /** The user chose it from a list. Another program may have continued it since its journal was written. */
  readonly isChosen: boolean;
  /** The chat continues with a copy of it. */
  readonly isForked?: true;
}

/** Opens a session with an agent: a new one, or an earlier one with `session/load` or `session/resume`. */
export class SessionOpener {
  private readonly ports: SessionOpenerPorts;
  private earlier: EarlierSession | undefined;
  /** The history that the agent replays after `session/load`, or `session/fork`. */
  private replay: Replay | undefined;
  /** The session that was opened last continues an earlier one. */
  isContinued = false;

  constructor(ports: SessionOpenerPorts) {
    this.ports = ports;
  }

  /** Makes the next opening continue a session that the user chose. */
  continueSession(sessionId: string): void {
    this.earlier = { sessionId, isChosen: true };
  }

  /** Makes the next opening continue with a copy of a session. */
  forkSession(sessionId: string): void {
    this.earlier = { sessionId, isChosen: true, isForked: true };
  }

  /** Makes the next opening continue the session that the chat shows, if it shows one. */
  continueShownSession(): void {
    const { sessionId } = this.ports.state;
    this.forgetReplay();
    if (sessionId !== undefined) this.earlier ??= { sessionId, isChosen: false };
  }

  /** Makes the next opening start a new session. */
  forgetShownSession(): void {
    this.earlier = undefined;
  }

  /** Resolves with the session id. `isNeeded` is false once the session is no longer needed. */
  async open(link: AgentLink, agent: AgentIdentity, isNeeded: () => boolean): Promise<string> {
    const { earlier } = this;
    const method = chooseMethod(agent.capabilities ?? {}, earlier);
    if (earlier && method !== 'new') {
      try {
        return method === 'fork' ? await this.fork(link, earlier) : await this.reopen(link, method, earlier);
      } catch (error) {
        if (!isNeeded() || !isRefusedByAgent(asAcpError(error))) throw error;
        this.ports.apply(reopenFailed(asAcpError(error)));
        return this.openNew(link);
      }
    }
    const sessionId = await this.openNew(link);
    if (earlier && hasUserMessage(this.ports.state)) this.ports.apply(startedWithoutMemory);
    return sessionId;
  }

  /** Called when a prompt is sent: later updates are new, not replayed. */
  endReplay(): void {
    this.replay?.end();
  }

  /** Called when a turn has ended: a history that was replayed before it is complete. */
  endTurn(): void {
    if (this.replay?.isComplete) this.forgetReplay();
  }

  /** False for updates that replay what the chat already shows. */
  accepts(event: AgentEvent): boolean {
    return this.replay?.accepts(event) ?? true;
  }

  private forgetReplay(): void {
    this.replay?.dispose();
    this.replay = undefined;
  }

  private async openNew(link: AgentLink): Promise<string> {
    const { cwd, sink, cancellation } = this.ports;
    this.forgetReplay();
    const sessionId = await link.openSession({ method: 'new', cwd }, sink, cancellation());
    this.earlier = undefined;
    this.isContinued = false;
    return sessionId;
  }

  private async fork(link: AgentLink, { sessionId: forkedId }: EarlierSession): Promise<string> {
    const { cwd, sink, cancellation } = this.ports;
    const options = { method: 'fork', sessionId: forkedId, cwd } as const;
    // Some agents replay the conversation, which the chat has from the journal.
    const replay = new Replay(this.ports);
    this.replay = replay;
    const sessionId = await link.openSession(options, sink, cancellation());
    await replay.sessionOpened();
    this.earlier = undefined;
    this.isContinued = true;
    return sessionId;
  }

  private async reopen(
    link: AgentLink,
    method: 'load' | 'resume',
    { sessionId }: EarlierSession,
  ): Promise<string> {
    const { cwd, sink, cancellation, apply, state } = this.ports;
    const replay = method === 'load' ? new Replay(this.ports) : undefined;
    this.replay = replay;
    await link.openSession({ method, sessionId, cwd }, sink, cancellation());
    await replay?.sessionOpened();
    if (method === 'resume' && !hasUserMessage(state)) apply(resumedWithoutHistory);
    this.earlier = undefined;
    this.isContinued = true;
    return sessionId;
  }
}

// `load` replays the history, which is needed only where the journal may not have all of it.
function chooseMethod(
  capabilities: AgentCapabilities,
  earlier: EarlierSession | undefined,
): OpenSessionOptions['method'] {
  if (!earlier) return 'new';
  if (earlier.isForked) return 'fork';
  const methods = earlier.isChosen ? (['load', 'resume'] as const) : (['resume', 'load'] as const);
  return methods.find((method) => capabilities[method]) ?? 'new';
}

/** The agent runs and answered with an error, or the user cancelled the request. */
function isRefusedByAgent({ code }: AcpError): boolean {
  return code !== 'auth_required' && code !== 'agent_exited' && code !== 'bug';
}

export function hasUserMessage({ entries }: SessionState): boolean {
  return entries.some((entry) => entry.kind === 'message' && entry.role === 'user');
}
