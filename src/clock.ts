import type { Clock } from './ports/host.ts';

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
