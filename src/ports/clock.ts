import type { Disposable } from '../base/disposable.ts';

/** Time and timers; tests use a manual clock. */
export interface Clock {
  /** The time of day in milliseconds. The user may set it back. */
  now(): number;
  /** Whole milliseconds since some moment. It measures durations: nobody can set it. */
  elapsed(): number;
  /** Calls back once, unless disposed first. */
  after(ms: number, callback: () => void): Disposable;
  /** Calls back repeatedly until disposed. */
  every(ms: number, callback: () => void): Disposable;
}
