import type { TurnSummary } from '../../model/entries.ts';
import type { SessionState } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
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

type Cost = { readonly amount: number; readonly currency: string };

/** Writes below each turn what it took and changed. */
export class TurnSummaries {
  private readonly parts: SummaryParts;
  private startedAt = 0;
  private costBefore: Cost | undefined;
  /** The turn that has ended and has no summary yet. */
  private ended: Pick<TurnSummary, 'ms' | 'cost' | 'tokens' | 'isUnfinished'> | undefined;

  constructor(parts: SummaryParts) {
    this.parts = parts;
  }

  follow(event: SessionEvent): void {
    const { state, clock } = this.parts;
    if (event.kind === 'turn_started') {
      this.startedAt = clock.now();
      this.costBefore = state.usage?.cost;
      this.ended = undefined;
    } else if (event.kind === 'turn_ended') {
      const ms = Math.max(0, clock.now() - this.startedAt - state.waited.ms);
      const { turnTokens: tokens } = state;
      this.ended = {
        ms,
        cost: this.costOfTurn(),
        ...(tokens !== undefined && { tokens }),
        ...(unfinished.has(event.stopReason) && { isUnfinished: true }),
      };
    }
  }

  /** The files that the last turn changed are known. The next turn may have begun: then it is too late. */
  add(files: readonly ChangedFile[]): void {
    const { ended } = this;
    this.ended = undefined;
    if (!ended || (files.length === 0 && ended.ms < minMs)) return;
    const sum = (count: (file: ChangedFile) => number) => files.reduce((all, file) => all + count(file), 0);
    const summary = {
      ...ended,
      files: files.length,
      added: sum(({ added }) => added),
      removed: sum(({ removed }) => removed),
    };
    this.parts.apply({ kind: 'turn_summary', summary });
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
