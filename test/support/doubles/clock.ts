import type { Disposable } from '../../../src/base/disposable.ts';
import type { Clock } from '../../../src/ports/clock.ts';

interface Timer {
  at: number;
  readonly every: number | undefined;
  readonly callback: () => void;
}

/** A clock that the test advances. */
export class ManualClock implements Clock {
  private time = 1_000_000;
  private setBackBy = 0;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  elapsed(): number {
    return this.time + this.setBackBy;
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

  /** Sets the time back, as a user of the computer may; timers are not affected. */
  setBack(ms: number): void {
    this.time -= ms;
    this.setBackBy += ms;
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
