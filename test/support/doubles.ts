import { TrafficLog } from '../../src/acp/traffic.ts';
import type { Disposable } from '../../src/base.ts';
import { AcpError } from '../../src/errors.ts';
import type {
  AgentLauncher,
  AgentLink,
  AgentSpec,
  KeptSession,
  Opening,
  SessionSink,
} from '../../src/ports/agent.ts';
import type { Clock, Editor, Log } from '../../src/ports/host.ts';
import type { StopReason } from '../../src/session/events.ts';
import type { Abilities, AgentIdentity, Setting } from '../../src/session/model.ts';

/** A promise that the test settles. */
export class Deferred<T> {
  resolve!: (value: T) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    // Nobody may be listening when the test rejects it.
    this.promise.catch(() => undefined);
  }
}

/** Lets everything run that waits for nothing but promises and immediates. */
export async function settle(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

interface Timer {
  at: number;
  readonly every: number | undefined;
  readonly callback: () => void;
}

/** Time that passes when the test says so. */
export class ManualClock implements Clock {
  private time = 1_000_000;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): Disposable {
    return this.add({ at: this.time + ms, every: undefined, callback });
  }

  every(ms: number, callback: () => void): Disposable {
    return this.add({ at: this.time + ms, every: ms, callback });
  }

  get pending(): number {
    return this.timers.size;
  }

  /** As the user of a computer may do; timers count on as before. */
  setBack(ms: number): void {
    this.time -= ms;
    for (const timer of this.timers) timer.at -= ms;
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (let next = this.nextDue(end); next; next = this.nextDue(end)) {
      this.time = Math.max(this.time, next.at);
      if (next.every === undefined) this.timers.delete(next);
      else next.at += next.every;
      next.callback();
    }
    this.time = end;
  }

  private add(timer: Timer): Disposable {
    this.timers.add(timer);
    return { dispose: () => this.timers.delete(timer) };
  }

  private nextDue(end: number): Timer | undefined {
    const due = [...this.timers].filter(({ at }) => at <= end);
    return due.sort((one, other) => one.at - other.at)[0];
  }
}

/** Keeps what was logged, each line with its level. */
export class LogDouble implements Log {
  readonly lines: string[] = [];

  error(message: string, error?: unknown): void {
    this.lines.push(`error ${message}${error === undefined ? '' : `: ${String(error)}`}`);
  }
  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }
  info(message: string): void {
    this.lines.push(`info ${message}`);
  }
  debug(message: string): void {
    this.lines.push(`debug ${message}`);
  }
}

/** An agent that does what the test says, and notes what it is told. */
export class LinkDouble implements AgentLink {
  readonly calls: string[] = [];
  private readonly onCall: (call: string) => void;
  readonly readiness = new Deferred<AgentIdentity>();
  readonly end$ = new Deferred<AcpError | undefined>();
  opening = new Deferred<string>();
  readonly listing = new Deferred<readonly KeptSession[]>();
  readonly ending = new Deferred<void>();
  readonly changing = new Deferred<void>();
  readonly loggingIn = new Deferred<void>();
  readonly requesting = new Deferred<unknown>();
  readonly traffic = new TrafficLog();
  readonly turns: Deferred<StopReason>[] = [];
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

  openSession({ how, cwd, sessionId }: Opening, sink: SessionSink, signal?: AbortSignal): Promise<string> {
    this.note(how === 'new' ? `open ${cwd}` : `${how} ${sessionId} ${cwd}`);
    this.sink = sink;
    const { opening } = this;
    signal?.addEventListener('abort', () => opening.reject(new AcpError('cancelled', 'taken back')));
    return opening.promise;
  }

  listSessions(cwd: string | undefined): Promise<readonly KeptSession[]> {
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

  kill(): void {
    this.note('kill');
  }

  prompt(sessionId: string, text: string): Promise<StopReason> {
    this.note(`prompt ${sessionId} ${text}`);
    const turn = new Deferred<StopReason>();
    this.turns.push(turn);
    return turn.promise;
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

  dispose(): void {
    this.note('dispose');
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

  /** Goes through the handshake and opens the session. */
  async becomeReady(title = 'Tester', abilities: Abilities = {}): Promise<void> {
    this.readiness.resolve({ name: 'tester', title, abilities });
    await settle();
    this.opening.resolve('s1');
    await settle();
  }

  /** Dies as a real one does: `gone` tells it, and every call that is still open is rejected with it. */
  async die(error: AcpError): Promise<void> {
    this.end$.resolve(error);
    await Promise.resolve();
    for (const open of [this.readiness, this.opening, ...this.turns]) open.reject(error);
    await settle();
  }
}

export class LauncherDouble implements AgentLauncher {
  readonly links: LinkDouble[] = [];
  failure: Error | undefined;
  onLaunch: (link: LinkDouble) => void = () => undefined;
  private readonly onCall: (call: string) => void;

  constructor(onCall: (call: string) => void = () => undefined) {
    this.onCall = onCall;
  }

  launch(_spec: AgentSpec, _isFresh?: boolean): AgentLink {
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

export interface EditorCall {
  readonly op: string;
  readonly payload: Record<string, unknown>;
}

/** Notes what Lua is told. `call` waits until the test answers. */
export class EditorDouble implements Editor {
  readonly told: EditorCall[] = [];
  readonly asked: (EditorCall & { readonly answer: Deferred<unknown> })[] = [];

  call(op: string, payload: object): Promise<unknown> {
    const answer = new Deferred<unknown>();
    this.asked.push({ op, payload: { ...payload }, answer });
    return answer.promise;
  }

  tell(op: string, payload: object): void {
    this.told.push({ op, payload: { ...payload } });
  }
}
