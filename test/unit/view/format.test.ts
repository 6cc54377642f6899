import { describe, expect, it } from 'vitest';
import { shorten } from '../../../src/base/text.ts';
import { count, duration, elapsed, timeOfDay } from '../../../src/view/format.ts';

describe('duration and elapsed', () => {
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
  ])('format %i ms as %s and %s', (ms, took, takes) => {
    expect([duration(ms), elapsed(ms)]).toEqual([took, takes]);
  });
});

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1.0k'],
  [12_449, '12.4k'],
  [99_960, '100k'],
  [999_400, '999k'],
  [1_260_000, '1.3M'],
])('count formats %i as %s', (value, text) => expect(count(value)).toBe(text));

it('timeOfDay has two digits for hours and minutes', () => {
  expect(timeOfDay(new Date(2026, 0, 2, 3, 4, 59).getTime())).toBe('03:04');
});

describe('shorten', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['', 3, ''],
    ['a👍bc', 3, 'a…'],
    ['👍👍', 4, '👍👍'],
  ])('shortens %s to %i characters', (text, count, expected) => expect(shorten(text, count)).toBe(expected));
});
