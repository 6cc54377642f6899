import type { Clock, Log } from './ports/host.ts';

/** The time everybody else lives in. */
export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return { dispose: () => clearTimeout(timer) };
  },
  every: (ms, callback) => {
    const timer = setInterval(callback, ms);
    return { dispose: () => clearInterval(timer) };
  },
};

/** A clock whose timers end nothing when they fail: an error that nobody catches would end the host, with every chat. */
export function guarded({ now, after, every }: Clock, log: Log): Clock {
  const safely = (callback: () => void) => () => {
    try {
      callback();
    } catch (error) {
      log.error('a timer failed', error);
    }
  };
  return {
    now,
    after: (ms, callback) => after(ms, safely(callback)),
    every: (ms, callback) => every(ms, safely(callback)),
  };
}
