import { setTimeout as delay } from 'node:timers/promises';
import type { Disposable } from '../../src/base/disposable.ts';

export type Truthy<T> = Exclude<T, undefined | null | false | 0 | ''>;

export interface WaitOptions {
  /** In milliseconds. */
  readonly timeout?: number;
  /** Describes the state for the message of the time-out. */
  readonly describe?: () => string | Promise<string>;
  /** Calls back when the condition may have changed. It is also checked every few milliseconds. */
  readonly onChange?: (look: () => void) => Disposable;
  /** Rejects when the condition can no longer be met. */
  readonly failed?: Promise<never>;
}

const pollMs = 10;
/** Two test runs on two cores may make a step of a second take ten. */
export const patienceMs = 25_000;
const never = new Promise<never>(() => undefined);

/** Resolves with the first truthy value of the condition. An error counts as not met. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeout = patienceMs, describe, onChange, failed: hopeless = never }: WaitOptions = {},
): Promise<Truthy<T>> {
  const over = new AbortController();
  const expired = delay(timeout, 'expired' as const, { signal: over.signal });
  expired.catch(() => undefined);
  let cause: unknown;
  try {
    for (;;) {
      // The condition comes last: one without a wait has always settled and would win.
      const attempt = await Promise.race([hopeless, expired, tryOnce(condition)]);
      if (attempt === 'expired') break;
      if (attempt.value) return attempt.value as Truthy<T>;
      cause = attempt.error ?? cause;
      await change(onChange);
    }
  } finally {
    over.abort();
  }
  throw new Error(await timeoutMessage(timeout, cause, describe), cause ? { cause } : {});
}

/** Settles as the promise does, or with `fallback` after a time. */
export async function within<T, F>(ms: number, promise: Promise<T>, fallback: F): Promise<T | F> {
  const over = new AbortController();
  try {
    return await Promise.race([promise, delay(ms, fallback, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}

async function tryOnce<T>(condition: () => T | Promise<T>): Promise<{ value?: T; error?: unknown }> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}

async function change(onChange: WaitOptions['onChange']): Promise<void> {
  const looking = new AbortController();
  const listening = onChange?.(() => looking.abort());
  await delay(pollMs, undefined, { signal: looking.signal }).catch(() => undefined);
  listening?.dispose();
}

async function timeoutMessage(
  ms: number,
  cause: unknown,
  describe: WaitOptions['describe'],
): Promise<string> {
  const reason = cause instanceof Error ? `\nlast failure: ${cause.message}` : '';
  const found = describe ? `\n${await describe()}` : '';
  return `Timed out after ${ms} ms${reason}${found}`;
}
