import { once } from '../base.ts';
import { AcpError } from '../errors.ts';
import type {
  AgentLauncher,
  AgentLink,
  AgentSpec,
  KeptSession,
  Opening,
  SessionSink,
} from '../ports/agent.ts';
import type { Traffic } from '../ports/wire.ts';
import type { StopReason } from '../session/events.ts';
import type { AgentIdentity, Setting } from '../session/model.ts';
import { quirksOf } from './quirks.ts';

/** Lets sessions share an agent: it is started for the first of them and ended after the last. */
export class AgentPool implements AgentLauncher {
  private readonly launcher: AgentLauncher;
  private readonly shared = new Map<string, SharedAgent>();

  constructor(launcher: AgentLauncher) {
    this.launcher = launcher;
  }

  launch(spec: AgentSpec, isFresh = false): AgentLink {
    const key = keyOf(spec);
    const known = isFresh ? undefined : this.shared.get(key);
    const agent = known ?? this.start(key, spec);
    return new Lease(agent, () => new SharedAgent(spec.name, this.launcher.launch(spec)));
  }

  private start(key: string, spec: AgentSpec): SharedAgent {
    const agent = new SharedAgent(spec.name, this.launcher.launch(spec));
    this.shared.set(key, agent);
    const forget = () => {
      if (this.shared.get(key) === agent) this.shared.delete(key);
    };
    agent.link.ready.catch(forget);
    void agent.link.gone.then(forget);
    agent.onEnd = forget;
    return agent;
  }
}

// Where a session works is said when it is opened, so the folder makes no difference.
function keyOf({ cwd: _, ...rest }: AgentSpec): string {
  return JSON.stringify(rest);
}

class SharedAgent {
  readonly name: string;
  readonly link: AgentLink;
  readonly users = new Set<Lease>();
  onEnd = () => {};
  killer: Lease | undefined;
  /** Whose session it has, if it can have one only. */
  holder: Lease | undefined;

  constructor(name: string, link: AgentLink) {
    this.name = name;
    this.link = link;
  }
}

/** One session's part in a shared agent. */
class Lease implements AgentLink {
  private agent: SharedAgent;
  private readonly startAnother: () => SharedAgent;
  private readonly sessions = new Set<string>();
  readonly gone: Promise<AcpError | undefined>;
  private tellGone: (reason: AcpError | undefined) => void = () => undefined;

  constructor(agent: SharedAgent, startAnother: () => SharedAgent) {
    this.agent = agent;
    this.startAnother = startAnother;
    this.gone = new Promise((resolve) => {
      this.tellGone = resolve;
    });
    this.join(agent);
  }

  private get link(): AgentLink {
    return this.agent.link;
  }

  get ready(): Promise<AgentIdentity> {
    return this.link.ready;
  }

  async openSession(opening: Opening, sink: SessionSink, signal?: AbortSignal): Promise<string> {
    await this.findRoom();
    const sessionId = await this.link.openSession(opening, sink, signal);
    if (this.agent.users.has(this)) this.sessions.add(sessionId);
    else void this.letGo(sessionId);
    return sessionId;
  }

  listSessions(cwd: string | undefined, signal?: AbortSignal): Promise<readonly KeptSession[]> {
    return this.link.listSessions(cwd, signal);
  }

  closeSession(sessionId: string): Promise<void> {
    this.sessions.delete(sessionId);
    return this.link.closeSession(sessionId);
  }

  deleteSession(sessionId: string): Promise<void> {
    return this.link.deleteSession(sessionId);
  }

  change(sessionId: string, setting: Setting, value: string | boolean): Promise<void> {
    return this.link.change(sessionId, setting, value);
  }

  prompt(sessionId: string, text: string): Promise<StopReason> {
    return this.link.prompt(sessionId, text);
  }

  cancel(sessionId: string): void {
    this.link.cancel(sessionId);
  }

  authenticate(methodId: string, signal?: AbortSignal): Promise<void> {
    return this.link.authenticate(methodId, signal);
  }

  logout(): Promise<void> {
    return this.link.logout();
  }

  get traffic(): Traffic {
    return this.link.traffic;
  }

  request(method: string, params: object): Promise<unknown> {
    return this.link.request(method, params);
  }

  notify(method: string, params: object): void {
    this.link.notify(method, params);
  }

  kill(): void {
    this.agent.killer = this;
    this.agent.onEnd();
    this.link.kill();
  }

  dispose(): void {
    void this.end();
  }

  sharesProgramWith(other: AgentLink): boolean {
    return other instanceof Lease && other.agent === this.agent;
  }

  async endProgram(): Promise<void> {
    this.agent.onEnd();
    await this.link.end();
  }

  readonly end = once(async () => {
    this.leave();
    if (this.agent.users.size > 0) {
      await Promise.all([...this.sessions].map((sessionId) => this.letGo(sessionId)));
      return;
    }
    this.agent.onEnd();
    await this.link.end();
  });

  private join(agent: SharedAgent): void {
    this.agent = agent;
    agent.users.add(this);
    void agent.link.gone.then((reason) => {
      if (this.agent === agent) this.tellGone(reason ?? this.killedByOther());
    });
  }

  private leave(): void {
    this.agent.users.delete(this);
    if (this.agent.holder === this) this.agent.holder = undefined;
  }

  // An agent that can have one session only is started once more for each other.
  private async findRoom(): Promise<void> {
    const { program } = await this.link.ready;
    if (!quirksOf(program).isSingleSession) return;
    if (!this.agent.users.has(this)) throw new AcpError('cancelled', `${this.agent.name} was ended.`);
    const { holder } = this.agent;
    if (holder && holder !== this) {
      this.leave();
      this.join(this.startAnother());
      await this.link.ready;
    }
    this.agent.holder = this;
  }

  // An agent that knows no way to close a session goes on having it, but nothing goes on in it.
  private async letGo(sessionId: string): Promise<void> {
    this.link.cancel(sessionId);
    await this.link.closeSession(sessionId).catch(() => undefined);
  }

  private killedByOther(): AcpError | undefined {
    const { killer, name } = this.agent;
    if (!killer || killer === this) return undefined;
    return new AcpError('agent_exited', `${name} did not stop in another chat and was ended.`, {
      hint: ':AcpRestart starts it again.',
    });
  }
}
