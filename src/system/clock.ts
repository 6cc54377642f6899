import type { Disposable } from '../base/disposable.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  after: (ms, callback) => {
    // A timer takes a millisecond at least.
    if (ms <= 0) return afterThisTurn(callback);
    const timer = setTimeout(callback, ms);
    return { dispose: () => clearTimeout(timer) };
  },
  every: (ms, callback) => {
    const timer = setInterval(callback, ms);
    return { dispose: () => clearInterval(timer) };
  },
};

function afterThisTurn(callback: () => void): Disposable {
  const immediate = setImmediate(callback);
  return { dispose: () => clearImmediate(immediate) };
}

/** Logs errors of timer callbacks, which would otherwise end the host and every chat. */
export function logTimerErrors({ now, elapsed, after, every }: Clock, log: Log): Clock {
  const safely = (callback: () => void) => () => {
    try {
      callback();
    } catch (error) {
      log.error('a timer failed', error);
    }
  };
  return {
    now,
    elapsed,
    after: (ms, callback) => after(ms, safely(callback)),
    every: (ms, callback) => every(ms, safely(callback)),
  };
}
