import type { Disposable } from '../base/disposable.ts';
import type { Entry } from '../model/entries.ts';
import { isBusy, type SessionState } from '../model/session.ts';
import type { AgentEvent, SessionEvent } from '../model/session-events.ts';
import type { Clock } from '../ports/clock.ts';
import { eventsNotShown, isAlreadyShown, isAttachedText, isPromptPart } from './replay-alignment.ts';

/** Some agents answer `session/load` before they replay. The replay is over after this time without an update. */
const quietMs = 250;

interface ReplayPorts {
  readonly state: SessionState;
  readonly clock: Clock;
  apply(event: SessionEvent): void;
}

/** The history that an agent replays after `session/load`. Events that the chat already shows are dropped. */
export class Replay implements Disposable {
  private readonly ports: ReplayPorts;
  private readonly known: readonly Entry[];
  /** The replayed events. Undefined if the chat is empty: then they are shown as they come. */
  private replayed: AgentEvent[] | undefined;
  private hasHistory = false;
  /** A part of the history was replayed after the last prompt was sent. */
  private wasLate = false;
  private isAnswered = false;
  private isOver = false;
  private quiet: Disposable | undefined;
  private readonly waiting: (() => void)[] = [];
  /** The agent is replaying earlier turns although a prompt was sent since. */
  private isLate = false;

  constructor(ports: ReplayPorts) {
    this.ports = ports;
    this.known = [...ports.state.entries];
    if (this.known.some(({ kind }) => kind === 'message' || kind === 'tool')) this.replayed = [];
    else ports.apply({ kind: 'replay_started' });
  }

  /** Whether to apply the event now. */
  accepts(event: AgentEvent): boolean {
    if (isCurrentState(event)) return true;
    if (this.isOver)
      return isBusy(this.ports.state) ? this.acceptsInTurn(event) : this.acceptsWhenIdle(event);
    this.hasHistory = true;
    this.replayed?.push(event);
    if (this.isAnswered) this.awaitQuiet();
    return this.replayed === undefined;
  }

  /** Called when the agent has answered `session/load`. Resolves when the replay is over. */
  async sessionOpened(): Promise<void> {
    this.isAnswered = true;
    if (!this.hasHistory) {
      this.awaitQuiet();
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (!this.isOver) this.applyNotShown();
  }

  /** The whole history was replayed before the last prompt was sent. */
  get isComplete(): boolean {
    return this.hasHistory && !this.wasLate;
  }

  /** Called when a prompt is sent: later events are new. */
  end(): void {
    this.wasLate = false;
    if (!this.isOver) this.applyNotShown();
    this.dispose();
  }

  dispose(): void {
    this.isOver = true;
    this.replayed = undefined;
    this.stopWaiting();
  }

  /** Applies the replayed events that the chat does not show yet. */
  private applyNotShown(): void {
    this.stopWaiting();
    const notShown = this.replayed ? eventsNotShown(this.ports.state.entries, this.replayed) : [];
    if (notShown.length > 0) this.ports.apply({ kind: 'replay_started' });
    for (const event of notShown) this.ports.apply(event);
  }

  private stopWaiting(): void {
    this.quiet?.dispose();
    this.quiet = undefined;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  // During a turn the only prompt is the one sent here, so a user message of the agent is replayed, and so is its answer.
  private acceptsInTurn(event: AgentEvent): boolean {
    if (isAttachedText(event)) return false;
    if (isPromptPart(event)) {
      this.isLate =
        !isAlreadyShown(lastPrompt(this.ports.state.entries), event) && isAlreadyShown(this.known, event);
      this.noteLate();
      return false;
    }
    this.isLate &&= isAlreadyShown(this.known, event);
    return !this.isLate;
  }

  private acceptsWhenIdle(event: AgentEvent): boolean {
    this.isLate = (this.isLate || isPromptPart(event)) && isAlreadyShown(this.known, event);
    this.noteLate();
    return !this.isLate;
  }

  private noteLate(): void {
    this.hasHistory ||= this.isLate;
    this.wasLate ||= this.isLate;
  }

  private awaitQuiet(): void {
    this.quiet?.dispose();
    this.quiet = this.ports.clock.after(quietMs, () => this.applyNotShown());
  }
}

const currentStateKinds = new Set<AgentEvent['kind']>([
  'commands',
  'settings',
  'setting',
  'mode',
  'usage',
  'turn_tokens',
  'suggestions',
  'title',
  'page_done',
]);

/** The last entry, with the message that it belongs to if it is what the user attached. */
function lastPrompt(entries: readonly Entry[]): readonly Entry[] {
  const last = entries.at(-1);
  return entries.slice(last?.kind === 'attachments' && last.role === 'user' ? -2 : -1);
}

function isCurrentState({ kind }: AgentEvent): boolean {
  return currentStateKinds.has(kind);
}
