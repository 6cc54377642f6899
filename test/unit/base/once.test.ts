import { expect, it } from 'vitest';
import { once } from '../../../src/base/once.ts';

it('once() calls its function once, also if it returns undefined', () => {
  let calls = 0;
  const start = once(() => {
    calls += 1;
  });
  expect([start(), start(), calls]).toEqual([undefined, undefined, 1]);
});
