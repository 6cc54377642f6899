import { AcpError } from '../base/errors.ts';
import { once } from '../base/once.ts';
import type {
  AgentCalls,
  AgentLauncher,
  AgentLink,
  AgentSpec,
  OpenSessionOptions,
  SessionSink,
} from '../ports/agent.ts';
import { quirksOf } from './decode/quirks.ts';

/** Lets chats share an agent's program: started for the first chat, ended after the last. */
export class AgentPool implements AgentLauncher {
  private readonly launcher: AgentLauncher;
  private readonly programs = new Map<string, SharedProgram>();

  constructor(launcher: AgentLauncher) {
    this.launcher = launcher;
  }

  launch(spec: AgentSpec, isFresh = false): AgentLink {
    const key = keyOf(spec);
    const running = isFresh ? undefined : this.programs.get(key);
    const program = running ?? this.start(key, spec);
    return new PooledLink(program, () => new SharedProgram(this.launcher.launch(spec)));
  }

  private start(key: string, spec: AgentSpec): SharedProgram {
    const forget = () => {
      if (this.programs.get(key) === program) this.programs.delete(key);
    };
    const program = new SharedProgram(this.launcher.launch(spec), forget);
    this.programs.set(key, program);
    program.link.agent.ready.catch(forget);
    // Not awaited: the program outlives this call. `gone` never rejects.
    void program.link.gone.then(forget);
    return program;
  }
}

// Sessions name their folder when they are opened and have their own settings, so chats can share a program nevertheless.
function keyOf({ cwd: _, settings: __, title: ___, ...rest }: AgentSpec): string {
  return JSON.stringify(rest);
}

class SharedProgram {
  readonly link: AgentLink;
  readonly users = new Set<PooledLink>();
  /** Called before the program is ended, so that no further chat gets it. */
  readonly retire: () => void;
  killer: PooledLink | undefined;
  /** The link that has the session of a program that supports only one. */
  sessionOwner: PooledLink | undefined;

  constructor(link: AgentLink, retire = () => {}) {
    this.link = link;
    this.retire = retire;
  }
}

/** One chat's link to a shared program. */
class PooledLink implements AgentLink {
  private program: SharedProgram;
  private readonly startAnother: () => SharedProgram;
  private readonly sessions = new Set<string>();
  readonly gone: Promise<AcpError | undefined>;
  private resolveGone: (reason: AcpError | undefined) => void = () => undefined;

  constructor(program: SharedProgram, startAnother: () => SharedProgram) {
    this.program = program;
    this.startAnother = startAnother;
    this.gone = new Promise((resolve) => {
      this.resolveGone = resolve;
    });
    this.join(program);
  }

  get agent(): AgentCalls {
    return this.program.link.agent;
  }

  async openSession(options: OpenSessionOptions, sink: SessionSink, signal?: AbortSignal): Promise<string> {
    await this.claimSingleSession();
    const sessionId = await this.program.link.openSession(options, sink, signal);
    // The chat may have ended while the agent was opening the session.
    if (this.program.users.has(this)) this.sessions.add(sessionId);
    else await this.abandonSession(sessionId);
    return sessionId;
  }

  sharesProgramWith(other: AgentLink): boolean {
    return other instanceof PooledLink && other.program === this.program;
  }

  readonly end = once(async () => {
    this.leave();
    if (this.program.users.size > 0) {
      await Promise.all([...this.sessions].map((sessionId) => this.abandonSession(sessionId)));
      return;
    }
    await this.endProgram();
  });

  async endProgram(): Promise<void> {
    this.program.retire();
    await this.program.link.end();
  }

  async kill(): Promise<void> {
    this.program.killer = this;
    this.program.retire();
    await this.program.link.kill();
  }

  private join(program: SharedProgram): void {
    this.program = program;
    program.users.add(this);
    // Not awaited: it settles when the program ends. `gone` never rejects.
    void program.link.gone.then((reason) => {
      if (this.program === program) this.resolveGone(reason ?? this.killedByOther());
    });
  }

  private leave(): void {
    this.program.users.delete(this);
    if (this.program.sessionOwner === this) this.program.sessionOwner = undefined;
  }

  // A program that supports only one session is started again for every further session.
  private async claimSingleSession(): Promise<void> {
    const { program } = await this.agent.ready;
    if (!quirksOf(program).isSingleSession) return;
    if (!this.program.users.has(this)) throw new AcpError('cancelled', `${this.agent.title} was ended.`);
    const { sessionOwner } = this.program;
    if (sessionOwner && sessionOwner !== this) {
      this.leave();
      this.join(this.startAnother());
      await this.agent.ready;
    }
    this.program.sessionOwner = this;
  }

  // Agents without `session/close` keep the session, but it stays idle.
  private async abandonSession(sessionId: string): Promise<void> {
    this.agent.cancel(sessionId);
    await this.agent.closeSession(sessionId).catch(() => undefined);
  }

  private killedByOther(): AcpError | undefined {
    const { killer } = this.program;
    if (!killer || killer === this) return undefined;
    return new AcpError(
      'agent_exited',
      `${this.agent.title} was ended because it did not stop in another chat.`,
      {
        hint: ':AcpRestart starts it again.',
      },
    );
  }
}
