import type { Disposable } from '../base.ts';
import type { Clock } from '../ports/host.ts';
import type { AgentEvent, SessionEvent } from './events.ts';
import { type Entry, isBusy, type SessionState } from './model.ts';
import { isKnown, newsIn } from './news.ts';

/** Some agents answer first and tell the conversation then. It is over when nothing more came for so long. */
const quietMs = 250;

export interface ReplayParts {
  readonly state: SessionState;
  readonly clock: Clock;
  apply(event: SessionEvent): void;
}

/** What an agent tells of an earlier conversation when it opens it. What the chat shows already is told in vain. */
export class Replay implements Disposable {
  private readonly parts: ReplayParts;
  private readonly known: readonly Entry[];
  /** Undefined where nothing is shown yet: then all of it is shown as it comes. */
  private told: AgentEvent[] | undefined;
  private hasHistory = false;
  /** Something of the conversation came after the last prompt of ours. */
  private wasLate = false;
  private isAnswered = false;
  private isOver = false;
  private quiet: Disposable | undefined;
  private readonly waiting: (() => void)[] = [];
  /** The agent tells of earlier turns although a prompt of ours was sent since. */
  private isLate = false;

  constructor(parts: ReplayParts) {
    this.parts = parts;
    this.known = [...parts.state.entries];
    if (this.known.some(({ kind }) => kind === 'message' || kind === 'tool')) this.told = [];
    else parts.apply({ kind: 'replay_started' });
  }

  /** True when the event is to be applied now. */
  take(event: AgentEvent): boolean {
    if (isAboutNow(event)) return true;
    if (this.isOver) return isBusy(this.parts.state) ? this.takeInTurn(event) : this.takeWhenIdle(event);
    this.hasHistory = true;
    this.told?.push(event);
    if (this.isAnswered) this.awaitQuiet();
    return this.told === undefined;
  }

  /** Resolves when all of it was told. The agent has answered that the session is open. */
  async answered(): Promise<void> {
    this.isAnswered = true;
    if (!this.hasHistory) {
      this.awaitQuiet();
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    if (!this.isOver) this.settle();
  }

  /** The conversation was told before the last prompt of ours. */
  get isTold(): boolean {
    return this.hasHistory && !this.wasLate;
  }

  /** From here on the agent tells nothing but what is new. */
  end(): void {
    this.wasLate = false;
    if (!this.isOver) this.settle();
    this.dispose();
  }

  dispose(): void {
    this.isOver = true;
    this.told = undefined;
    this.stopWaiting();
  }

  /** Shows what is new in what was told until now. */
  private settle(): void {
    this.stopWaiting();
    const news = this.told ? newsIn(this.parts.state.entries, this.told) : [];
    if (news.length > 0) this.parts.apply({ kind: 'replay_started' });
    for (const event of news) this.parts.apply(event);
  }

  private stopWaiting(): void {
    this.quiet?.dispose();
    this.quiet = undefined;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  // What the user says in a turn of ours is said here, so what the agent has the user say was said before. The answer to
  // it was given then too.
  private takeInTurn(event: AgentEvent): boolean {
    if (isPrompt(event)) {
      this.isLate = !isKnown(this.parts.state.entries.slice(-1), event) && isKnown(this.known, event);
      this.noteLate();
      return false;
    }
    this.isLate &&= isKnown(this.known, event);
    return !this.isLate;
  }

  private takeWhenIdle(event: AgentEvent): boolean {
    this.isLate = (this.isLate || isPrompt(event)) && isKnown(this.known, event);
    this.noteLate();
    return !this.isLate;
  }

  private noteLate(): void {
    this.hasHistory ||= this.isLate;
    this.wasLate ||= this.isLate;
  }

  private awaitQuiet(): void {
    this.quiet?.dispose();
    this.quiet = this.parts.clock.after(quietMs, () => this.settle());
  }
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

function isPrompt(event: AgentEvent): boolean {
  return event.kind === 'chunk' && event.role === 'user';
}

// What an earlier conversation was is one thing, how its session stands now another.
function isAboutNow({ kind }: AgentEvent): boolean {
  return aboutNow.has(kind);
}
