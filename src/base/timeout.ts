import { setTimeout as timeout } from 'node:timers/promises';

/** `ref: false` lets the process exit before the time is over. Rejects when the signal aborts. */
export function sleep(
  ms: number,
  options: { readonly signal?: AbortSignal; readonly ref?: boolean } = {},
): Promise<void> {
  return timeout(ms, undefined, options);
}

/** Settles with the promise, or resolves with undefined when the time is over or the signal fires. */
export async function settledWithin<T>(
  ms: number,
  promise: Promise<T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const done = new AbortController();
  const gaveUp = new Promise<undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    done.signal.addEventListener('abort', () => clearTimeout(timer));
    signal?.addEventListener('abort', () => resolve(undefined), { once: true, signal: done.signal });
    if (signal?.aborted) resolve(undefined);
  });
  return Promise.race([promise, gaveUp]).finally(() => done.abort());
}
