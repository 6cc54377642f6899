import { expect, it } from 'vitest';
import { logTimerErrors } from '../../../src/system/clock.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { LogDouble } from '../../support/doubles/log.ts';

it('logTimerErrors logs errors of timer callbacks and keeps repeating timers', () => {
  const [clock, log] = [new ManualClock(), new LogDouble()];
  const { after, every } = logTimerErrors(
    { now: () => 0, elapsed: () => 0, after: clock.after.bind(clock), every: clock.every.bind(clock) },
    log,
  );
  const fail = () => {
    throw new Error('broken');
  };
  after(1, fail);
  every(2, fail);
  clock.advance(4);
  expect(log.lines).toHaveLength(3);
});
