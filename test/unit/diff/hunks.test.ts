import { describe, expect, it } from 'vitest';
import { computeHunks } from '../../../src/diff/hunks.ts';

describe('computeHunks places ambiguous lines last', () => {
  const rows = (text: string) => text.split('');

  it.each<[string, string, string, object]>([
    ['when they were added', 'aPQ{}.{}z', 'bPQ{}.{}.{}z', { from: 8, to: 8, lines: rows('.{}') }],
    ['when they were removed', 'aPQ{}.{}.{}z', 'bPQ{}.{}z', { from: 8, to: 11, lines: [] }],
    ['at the end of the text', 'aPQxx', 'bPQxxxx', { from: 5, to: 5, lines: rows('xx') }],
  ])('%s', (_, before, after, expected) => {
    expect(computeHunks(rows(before), rows(after))[1]).toEqual(expected);
  });
});
