import { expect, it } from 'vitest';
import { BriefCache } from '../../../src/prompt/brief-cache.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { Deferred } from '../../support/doubles/deferred.ts';

it('keeps what was found for a few seconds, each under its key', async () => {
  const clock = new ManualClock();
  const cache = new BriefCache<number>(clock);
  let searches = 0;
  const get = (key: string) => cache.get(key, async () => ++searches);
  expect([await get('a'), await get('a'), await get('b')]).toEqual([1, 1, 2]);
  clock.advance(2_900);
  expect(await get('a')).toBe(1);
  clock.advance(200);
  expect(await get('a')).toBe(3);
});

it('shares a search that still runs, and repeats a slow one less often', async () => {
  const clock = new ManualClock();
  const cache = new BriefCache<string>(clock);
  const slow = new Deferred<string>();
  const [one, other] = [cache.get('a', () => slow.promise), cache.get('a', async () => 'again')];
  clock.advance(5_000);
  slow.resolve('found');
  expect(await Promise.all([one, other])).toEqual(['found', 'found']);
  clock.advance(40_000);
  expect(await cache.get('a', async () => 'again')).toBe('found');
  clock.advance(20_000);
  expect(await cache.get('a', async () => 'again')).toBe('again');
});

it('searches again also after the system clock was set back', async () => {
  const clock = new ManualClock();
  const cache = new BriefCache<number>(clock);
  let searches = 0;
  const get = () => cache.get('a', async () => ++searches);
  await get();
  clock.setBack(3_600_000);
  clock.advance(3_100);
  expect(await get()).toBe(2);
});
