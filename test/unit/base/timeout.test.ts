import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { settledWithin } from '../../../src/base/timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<string>(() => undefined);

it('settledWithin resolves with the value and leaves no timer', async () => {
  expect(await settledWithin(1_000, Promise.resolve('done'))).toBe('done');
  expect(vi.getTimerCount()).toBe(0);
});

it('settledWithin rejects as the promise does', async () => {
  await expect(settledWithin(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('settledWithin resolves with undefined when the time is over', async () => {
  const settled = settledWithin(1_000, never);
  vi.advanceTimersByTime(1_000);
  expect(await settled).toBeUndefined();
});

it.each(['before', 'after'])('settledWithin gives up when the signal fires %s the call', async (when) => {
  const giveUp = new AbortController();
  if (when === 'before') giveUp.abort();
  const settled = settledWithin(1_000, never, giveUp.signal);
  giveUp.abort();
  expect(await settled).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});
