import type { Disposable } from '../base/disposable.ts';

/** Time and timers; tests use a manual clock. */
export interface Clock {
  now(): number;
  /** Calls back once, unless disposed first. */
  after(ms: number, callback: () => void): Disposable;
  /** Calls back repeatedly until disposed. */
  every(ms: number, callback: () => void): Disposable;
}
