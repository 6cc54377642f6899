import { type AcpError, asAcpError } from '../errors.ts';
import type { AgentLink, SessionSink } from '../ports/agent.ts';
import type { AgentEvent, SessionEvent } from './events.ts';
import type { AgentIdentity, SessionState } from './model.ts';
import { begunAnew, historyUnknown, notOpenedAgain } from './notices.ts';
import { type Earlier, historyOf, howToOpen } from './opening.ts';

export interface OpenerParts {
  readonly cwd: string;
  readonly state: SessionState;
  readonly sink: SessionSink;
  apply(event: SessionEvent): void;
  /** Fires when the user gives up what goes on at present. */
  patience(): AbortSignal;
}

/** Opens a session with an agent: a new one, or one of before in the best way the agent knows. */
export class Opener {
  private readonly parts: OpenerParts;
  private earlier: Earlier | undefined;
  /** The agent tells again what the chat shows already. */
  private isDeaf = false;
  /** The session that was opened last is one of before. */
  hasMemory = false;

  constructor(parts: OpenerParts) {
    this.parts = parts;
  }

  goOnWith(earlier: Earlier): void {
    this.earlier = earlier;
  }

  /** Goes on with the conversation that the chat shows, if there was one. */
  goOnWithShown(): void {
    const { sessionId } = this.parts.state;
    if (sessionId !== undefined) this.earlier = { sessionId, isShown: true, written: [] };
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
        this.recall(earlier);
        this.parts.apply(notOpenedAgain(asAcpError(error)));
        return this.openNew(link);
      }
    }
    if (earlier) this.recall(earlier);
    const sessionId = await this.openNew(link);
    if (earlier && hasSpoken(this.parts.state)) this.parts.apply(begunAnew);
    return sessionId;
  }

  /** From here on the agent says nothing but what is new. */
  listen(): void {
    this.isDeaf = false;
  }

  hears(event: AgentEvent): boolean {
    return !this.isDeaf || isAboutNow(event);
  }

  private async openNew(link: AgentLink): Promise<string> {
    const { cwd, sink, patience } = this.parts;
    this.isDeaf = false;
    const sessionId = await link.openSession({ how: 'new', cwd }, sink, patience());
    this.earlier = undefined;
    this.hasMemory = false;
    return sessionId;
  }

  private async openAgain(link: AgentLink, how: 'load' | 'resume', earlier: Earlier): Promise<string> {
    const { cwd, sink, patience, apply } = this.parts;
    const { sessionId, isShown } = earlier;
    this.isDeaf = how === 'load' && isShown;
    if (how === 'load' && !isShown) apply({ kind: 'replay_started' });
    await link.openSession({ how, sessionId, cwd }, sink, patience());
    if (how === 'resume' && !isShown && !this.recall(earlier)) apply(historyUnknown);
    this.earlier = undefined;
    this.hasMemory = true;
    return sessionId;
  }

  /** Shows what was written down, unless something is shown already. False when there is nothing. */
  private recall({ written }: Earlier): boolean {
    const { state, apply } = this.parts;
    const history = hasSpoken(state) ? [] : historyOf(written);
    if (history.length > 0) apply({ kind: 'replay_started' });
    for (const event of history) apply(event);
    return history.length > 0;
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

const aboutNow = new Set<AgentEvent['kind']>([
  'commands',
  'settings',
  'setting',
  'mode',
  'usage',
  'title',
  'page_done',
]);

// What an earlier conversation was is one thing, how its session stands now another.
function isAboutNow({ kind }: AgentEvent): boolean {
  return aboutNow.has(kind);
}
