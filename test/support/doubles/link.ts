import { TrafficLog } from '../../../src/acp/connection/traffic-log.ts';
import { AcpError } from '../../../src/base/errors.ts';
import type { AgentCapabilities, AgentIdentity, Setting } from '../../../src/model/agent.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import type { StopReason } from '../../../src/model/session-events.ts';
import type {
  AgentLauncher,
  AgentLink,
  AgentSpec,
  OpenSessionOptions,
  SessionSink,
  SteeringOutcome,
  StoredSession,
} from '../../../src/ports/agent.ts';
import { Deferred, settle } from './deferred.ts';

/** An agent that records calls and answers as the test says. */
export class LinkDouble implements AgentLink {
  readonly calls: string[] = [];
  private readonly onCall: (call: string) => void;
  readonly readiness = new Deferred<AgentIdentity>();
  readonly end$ = new Deferred<AcpError | undefined>();
  opening = new Deferred<string>();
  readonly listing = new Deferred<readonly StoredSession[]>();
  readonly ending = new Deferred<void>();
  readonly changing = new Deferred<void>();
  readonly loggingIn = new Deferred<void>();
  readonly requesting = new Deferred<unknown>();
  readonly title = 'Tester';
  readonly traffic = new TrafficLog();
  readonly turns: Deferred<StopReason>[] = [];
  readonly offers: Deferred<SteeringOutcome>[] = [];
  sink: SessionSink | undefined;

  constructor(onCall: (call: string) => void = () => undefined) {
    this.onCall = onCall;
  }

  get ready(): Promise<AgentIdentity> {
    return this.readiness.promise;
  }
  get gone(): Promise<AcpError | undefined> {
    return this.end$.promise;
  }

  openSession(
    { method, cwd, sessionId }: OpenSessionOptions,
    sink: SessionSink,
    signal?: AbortSignal,
  ): Promise<string> {
    this.note(method === 'new' ? `open ${cwd}` : `${method} ${sessionId} ${cwd}`);
    this.sink = sink;
    const { opening } = this;
    signal?.addEventListener('abort', () => opening.reject(new AcpError('cancelled', 'withdrawn')));
    return opening.promise;
  }

  listSessions(cwd: string | undefined): Promise<readonly StoredSession[]> {
    this.note(`list ${cwd}`);
    return this.listing.promise;
  }

  closeSession(sessionId: string): Promise<void> {
    this.note(`close ${sessionId}`);
    return Promise.resolve();
  }

  deleteSession(sessionId: string): Promise<void> {
    this.note(`delete ${sessionId}`);
    return Promise.resolve();
  }

  setTitle(sessionId: string, title: string): Promise<string> {
    this.note(`title ${sessionId} ${title}`);
    return Promise.resolve(title.trim());
  }

  kill(): Promise<void> {
    this.note('kill');
    return this.ending.promise;
  }

  get agent(): this {
    return this;
  }

  prompt(sessionId: string, { text }: Prompt): Promise<StopReason> {
    this.note(`prompt ${sessionId} ${text}`);
    const turn = new Deferred<StopReason>();
    this.turns.push(turn);
    return turn.promise;
  }

  steer(sessionId: string, { text }: Prompt): Promise<SteeringOutcome> {
    this.note(`steer ${sessionId} ${text}`);
    const offer = new Deferred<SteeringOutcome>();
    this.offers.push(offer);
    return offer.promise;
  }

  change(sessionId: string, { id }: Setting, value: string | boolean): Promise<void> {
    this.note(`change ${sessionId} ${id} ${value}`);
    return this.changing.promise;
  }

  authenticate(methodId: string): Promise<void> {
    this.note(`authenticate ${methodId}`);
    return this.loggingIn.promise;
  }

  logout(): Promise<void> {
    this.note('logout');
    return Promise.resolve();
  }

  request(method: string, params: object): Promise<unknown> {
    this.note(`request ${method} ${JSON.stringify(params)}`);
    return this.requesting.promise;
  }

  notify(method: string, params: object): void {
    this.note(`notify ${method} ${JSON.stringify(params)}`);
  }

  cancel(sessionId: string): void {
    this.note(`cancel ${sessionId}`);
  }

  end(): Promise<void> {
    this.note('end');
    return this.ending.promise;
  }

  sharesProgramWith(other: AgentLink): boolean {
    return other === this;
  }

  endProgram(): Promise<void> {
    this.note('end program');
    return this.ending.promise;
  }

  private note(call: string): void {
    this.calls.push(call);
    this.onCall(call);
  }

  /** Completes the handshake and opens the session. */
  async becomeReady(title = 'Tester', capabilities: AgentCapabilities = {}): Promise<void> {
    this.readiness.resolve({ name: 'tester', title, capabilities });
    await settle();
    this.opening.resolve('s1');
    await settle();
  }

  /** Exits: `gone` resolves, and open calls are rejected, with the error. */
  async die(error: AcpError): Promise<void> {
    this.end$.resolve(error);
    await Promise.resolve();
    for (const open of [this.readiness, this.opening, ...this.turns, ...this.offers]) open.reject(error);
    await settle();
  }
}

export class LauncherDouble implements AgentLauncher {
  readonly links: LinkDouble[] = [];
  readonly specs: AgentSpec[] = [];
  failure: Error | undefined;
  onLaunch: (link: LinkDouble) => void = () => undefined;
  private readonly onCall: (call: string) => void;

  constructor(onCall: (call: string) => void = () => undefined) {
    this.onCall = onCall;
  }

  launch(spec: AgentSpec, _isFresh?: boolean): AgentLink {
    this.specs.push(spec);
    if (this.failure) throw this.failure;
    const link = new LinkDouble(this.onCall);
    this.links.push(link);
    this.onLaunch(link);
    return link;
  }

  get last(): LinkDouble {
    const link = this.links.at(-1);
    if (!link) throw new Error('no agent was started');
    return link;
  }
}
