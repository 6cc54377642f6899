import { expect, it } from 'vitest';
import { guarded } from '../../src/clock.ts';
import { LogDouble, ManualClock } from '../support/doubles.ts';

it('a timer that fails is logged and ends nothing', () => {
  const [clock, log] = [new ManualClock(), new LogDouble()];
  const { after, every } = guarded(
    { now: () => 0, after: clock.after.bind(clock), every: clock.every.bind(clock) },
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
