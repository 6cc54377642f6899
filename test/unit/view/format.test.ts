import { describe, expect, it } from 'vitest';
import { shorten } from '../../../src/base.ts';
import { duration, elapsed, shortPath, timeOfDay } from '../../../src/view/format.ts';

describe('how long something took', () => {
  it.each([
    [0, '0.0 s', '0 s'],
    [49, '0.0 s', '0 s'],
    [340, '0.3 s', '0 s'],
    [999, '0.9 s', '0 s'],
    [9_940, '9.9 s', '9 s'],
    [9_960, '9.9 s', '9 s'],
    [10_000, '10 s', '10 s'],
    [59_999, '59 s', '59 s'],
    [60_000, '1 m 0 s', '1 m 0 s'],
    [200_000, '3 m 20 s', '3 m 20 s'],
    [3_599_999, '59 m 59 s', '59 m 59 s'],
    [3_600_000, '1 h 0 m', '1 h 0 m'],
    [90_000_000, '25 h 0 m', '25 h 0 m'],
    [-5, '0.0 s', '0 s'],
  ])('%i ms: %s, or %s while it goes on', (ms, took, takes) => {
    expect([duration(ms), elapsed(ms)]).toEqual([took, takes]);
  });
});

it('tells the time of day with two digits each', () => {
  expect(timeOfDay(new Date(2026, 0, 2, 3, 4, 59).getTime())).toBe('03:04');
});

describe('a path as a person would write it', () => {
  it.each([
    ['/home/me/shop', '.'],
    ['/home/me/shop/src/a.ts', 'src/a.ts'],
    ['/home/me/shopping/a.ts', '~/shopping/a.ts'],
    ['/home/me/x', '~/x'],
    ['/home/me', '/home/me'],
    ['/home/meyer/x', '/home/meyer/x'],
    ['/etc/passwd', '/etc/passwd'],
    ['relative/a.ts', 'relative/a.ts'],
    ['', ''],
  ])('%s is %s', (path, expected) => expect(shortPath(path, '/home/me/shop', '/home/me')).toBe(expected));

  it('works without a home', () => expect(shortPath('/x', '/work', '')).toBe('/x'));
});

describe('a shortened text', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['', 3, ''],
    ['a👍bc', 3, 'a…'],
    ['👍👍', 4, '👍👍'],
  ])('%s in %i', (text, count, expected) => expect(shorten(text, count)).toBe(expected));
});
