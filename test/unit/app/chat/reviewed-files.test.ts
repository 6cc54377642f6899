import { expect, it } from 'vitest';
import { ReviewedFiles } from '../../../../src/app/chat/reviewed-files.ts';
import type { ChangeTracker } from '../../../../src/workspace/changes/change-tracker.ts';
import type { FileContent } from '../../../../src/workspace/files/file-content.ts';
import type { TrackedFile } from '../../../../src/workspace/files/file-record.ts';

const text = (...lines: readonly string[]): FileContent => ({
  kind: 'text',
  lines: lines.map((line) => `${line}\n`),
});

function quickfixOf(old: FileContent, now: FileContent) {
  const file: TrackedFile = { path: '/work/a', review: { session: old, turn: now, now }, disk: now };
  const tracker = { files: [file], unwatched: [] } as unknown as ChangeTracker;
  return new ReviewedFiles(tracker, '/work')
    .quickfixItems()
    .map(({ lnum, end_lnum, text: shown }) => [lnum, end_lnum, shown]);
}

it.each<[string, FileContent, FileContent, readonly unknown[]]>([
  ['added lines', text('a'), text('a', 'b', 'c'), [[2, 3, '+2 b']]],
  ['removed lines', text('a', 'b', 'c'), text('a'), [[2, 2, '-2 b']]],
  ['changed lines, as they are now', text('a', 'b', 'c'), text('a', 'B'), [[2, 2, '+1 -2 B']]],
  ['the first line with text', text('a'), text('a', '', '  b', 'c'), [[2, 4, '+3 b']]],
  ['empty lines', text('a'), text('a', '', ''), [[2, 3, '+2']]],
  [
    'each hunk',
    text('a', 'b', 'c', 'd'),
    text('A', 'b', 'c'),
    [
      [1, 1, '+1 -1 A'],
      [4, 4, '-1 d'],
    ],
  ],
  ['no change', text('a'), text('a'), []],
  ['a new file', { kind: 'none' }, text('a'), [[1, 1, '+1 a']]],
  [
    'invisible characters as signs',
    text('a'),
    text('a', 'b\u202ec'),
    [[2, 2, expect.not.stringContaining('\u202e')]],
  ],
])('a hunk in the quickfix list says how much it changes and what: %s', (_, old, now, items) => {
  expect(quickfixOf(old, now)).toEqual(items);
});

it('a long line is shortened in the quickfix list', () => {
  const [[, , shown]] = quickfixOf(text('a'), text('a', 'x'.repeat(1_000))) as [[number, number, string]];
  expect(shown.length).toBeLessThan(250);
});
