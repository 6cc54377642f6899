import { type AcpError, asAcpError } from '../errors.ts';
import type { AgentLink, SessionSink } from '../ports/agent.ts';
import type { Clock } from '../ports/host.ts';
import type { AgentEvent, SessionEvent } from './events.ts';
import type { AgentIdentity, SessionState } from './model.ts';
import { begunAnew, historyUnknown, notOpenedAgain } from './notices.ts';
import { type Earlier, howToOpen } from './opening.ts';
import { Replay } from './replay.ts';

export interface OpenerParts {
  readonly cwd: string;
  readonly state: SessionState;
  readonly sink: SessionSink;
  readonly clock: Clock;
  apply(event: SessionEvent): void;
  /** Fires when the user gives up what goes on at present. */
  patience(): AbortSignal;
}

/** Opens a session with an agent: a new one, or one of before in the best way the agent knows. */
export class Opener {
  private readonly parts: OpenerParts;
  private earlier: Earlier | undefined;
  /** The agent tells an earlier conversation again. */
  private replay: Replay | undefined;
  /** The session that was opened last is one of before. */
  hasMemory = false;

  constructor(parts: OpenerParts) {
    this.parts = parts;
  }

  /** Goes on with a conversation that the user chose. */
  goOnWith(sessionId: string): void {
    this.earlier = { sessionId, isChosen: true };
  }

  /** Goes on with the conversation that the chat shows, if there was one. */
  goOnWithShown(): void {
    const { sessionId } = this.parts.state;
    this.forgetReplay();
    if (sessionId !== undefined) this.earlier ??= { sessionId, isChosen: false };
  }

  /** Resolves with the id of the session; `isWanted` says whether there is still somebody to open it for. */
  async open(link: AgentLink, agent: AgentIdentity, isWanted: () => boolean): Promise<string> {
    const { earlier } = this;
    const how = howToOpen(agent.abilities ?? {}, earlier);
    if (earlier && how !== 'new') {
      try {
        return await this.openAgain(link, how, earlier);
      } catch (error) {
        if (!isWanted() || !isAnswer(asAcpError(error))) throw error;
        this.parts.apply(notOpenedAgain(asAcpError(error)));
        return this.openNew(link);
      }
    }
    const sessionId = await this.openNew(link);
    if (earlier && hasSpoken(this.parts.state)) this.parts.apply(begunAnew);
    return sessionId;
  }

  /** A prompt is sent: from here on the agent says nothing but what is new. */
  listen(): void {
    this.replay?.end();
  }

  /** An answer is complete: nothing follows of an earlier conversation that was told before it. */
  endTurn(): void {
    if (this.replay?.isTold) this.forgetReplay();
  }

  private forgetReplay(): void {
    this.replay?.dispose();
    this.replay = undefined;
  }

  hears(event: AgentEvent): boolean {
    return this.replay?.take(event) ?? true;
  }

  private async openNew(link: AgentLink): Promise<string> {
    const { cwd, sink, patience } = this.parts;
    this.forgetReplay();
    const sessionId = await link.openSession({ how: 'new', cwd }, sink, patience());
    this.earlier = undefined;
    this.hasMemory = false;
    return sessionId;
  }

  private async openAgain(link: AgentLink, how: 'load' | 'resume', { sessionId }: Earlier): Promise<string> {
    const { cwd, sink, patience, apply, state } = this.parts;
    const replay = how === 'load' ? new Replay(this.parts) : undefined;
    this.replay = replay;
    await link.openSession({ how, sessionId, cwd }, sink, patience());
    await replay?.answered();
    if (how === 'resume' && !hasSpoken(state)) apply(historyUnknown);
    this.earlier = undefined;
    this.hasMemory = true;
    return sessionId;
  }
}

/** The agent is there and said no, or we took it back. */
function isAnswer({ code }: AcpError): boolean {
  return code !== 'auth_required' && code !== 'agent_exited' && code !== 'bug';
}

/** Whether the chat shows something that the user said. */
export function hasSpoken({ entries }: SessionState): boolean {
  return entries.some((entry) => entry.kind === 'message' && entry.role === 'user');
}
