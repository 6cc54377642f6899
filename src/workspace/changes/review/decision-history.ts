import type { PastDecision, Rejection } from '../types.ts';

/** How many decisions can be undone. */
const maxDecisions = 100;

/** The decisions of the user in one session, the last at the end. */
export class DecisionHistory {
  private decisions: readonly PastDecision[] = [];

  get all(): readonly PastDecision[] {
    return this.decisions;
  }

  get last(): PastDecision | undefined {
    return this.decisions.at(-1);
  }

  load(decisions: readonly PastDecision[]): void {
    this.decisions = decisions;
  }

  /** Adds a decision; one about no file is left out. */
  add(decision: PastDecision): void {
    if (decision.files.length > 0) this.decisions = [...this.decisions, decision].slice(-maxDecisions);
  }

  /** Replaces the last decision by the part of it that could not be undone. */
  replaceLast(left: PastDecision): void {
    this.decisions = this.decisions.slice(0, -1);
    this.add(left);
  }

  /** The rejections that the agent was not told yet. They are given once. */
  takeRejections(): readonly Rejection[] {
    const rejections = this.decisions.flatMap((decision) => decision.rejections);
    this.decisions = this.decisions.map(({ files }) => ({ files, rejections: [] }));
    return rejections;
  }
}
