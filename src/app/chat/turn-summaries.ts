import type { TurnSummary } from '../../model/entries.ts';
import type { SessionState } from '../../model/session.ts';
import type { SessionEvent, StopReason } from '../../model/session-events.ts';
import type { Clock } from '../../ports/clock.ts';

/** A shorter turn that changed no file has no summary. */
const minMs = 10_000;

/** Agents also send reasons of their own, which may mean anything. */
const unfinished = new Set(['cancelled', 'max_tokens', 'max_turn_requests', 'refusal']);

interface SummaryParts {
  readonly state: SessionState;
  readonly clock: Clock;
  apply(event: Extract<SessionEvent, { kind: 'turn_summary' }>): void;
}

interface ChangedFile {
  readonly added: number;
  readonly removed: number;
}

interface EndedTurn {
  readonly figures: Pick<TurnSummary, 'ms' | 'cost' | 'tokens' | 'isUnfinished'>;
  /** The next turn has begun. */
  readonly isLate: boolean;
}

type Cost = { readonly amount: number; readonly currency: string };

/** Writes below each turn what it took and changed. */
export class TurnSummaries {
  private readonly parts: SummaryParts;
  private startedAt = 0;
  private costBefore: Cost | undefined;
  private isInTurn = false;
  /** The turns that have ended and have no summary yet. */
  private ended: readonly EndedTurn[] = [];

  constructor(parts: SummaryParts) {
    this.parts = parts;
  }

  follow(event: SessionEvent): void {
    if (event.kind === 'turn_started') this.begin();
    else if (event.kind === 'turn_ended') this.end(event.stopReason);
    else if (event.kind === 'agent_gone') this.isInTurn = false;
  }

  private begin(): void {
    const { state, clock } = this.parts;
    this.isInTurn = true;
    this.startedAt = clock.elapsed();
    this.costBefore = state.usage?.cost;
    this.ended = this.ended.map((turn) => ({ ...turn, isLate: true }));
  }

  private end(stopReason: StopReason): void {
    const { state, clock } = this.parts;
    if (!this.isInTurn) return;
    this.isInTurn = false;
    const { turnTokens: tokens } = state;
    const figures = {
      ms: Math.max(0, clock.elapsed() - this.startedAt - state.waited.ms),
      cost: this.costOfTurn(),
      ...(tokens !== undefined && { tokens }),
      ...(unfinished.has(stopReason) && { isUnfinished: true }),
    };
    this.ended = [...this.ended, { figures, isLate: false }];
  }

  /** The files that a turn changed are known: of the first turn that has no summary yet. */
  add(files: readonly ChangedFile[]): void {
    const [ended, ...others] = this.ended;
    this.ended = others;
    if (!ended || (files.length === 0 && ended.figures.ms < minMs)) return;
    const sum = (count: (file: ChangedFile) => number) => files.reduce((all, file) => all + count(file), 0);
    const summary = {
      ...ended.figures,
      files: files.length,
      added: sum(({ added }) => added),
      removed: sum(({ removed }) => removed),
    };
    this.parts.apply({ kind: 'turn_summary', summary, ...(ended.isLate && { isLate: true }) });
  }

  // Agents report what the whole session has cost.
  private costOfTurn(): Cost | undefined {
    const { cost } = this.parts.state.usage ?? {};
    const before = this.costBefore;
    if (!cost || (before && before.currency !== cost.currency)) return undefined;
    const amount = cost.amount - (before?.amount ?? 0);
    return amount >= 0.005 ? { amount, currency: cost.currency } : undefined;
  }
}
