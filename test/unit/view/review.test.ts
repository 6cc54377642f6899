import { describe, expect, it } from 'vitest';
import { restoreDiff, restorePicker } from '../../../src/view/pickers/restore.ts';
import { rejectionsPrompt } from '../../../src/view/rejections.ts';
import { type ReviewItem, reviewLines } from '../../../src/view/review.ts';

const anItem = (fields: Partial<ReviewItem> = {}): ReviewItem => ({
  name: 'a.ts',
  added: 6,
  removed: 2,
  hunks: 2,
  state: 'open',
  note: undefined,
  ...fields,
});
const shown = (...items: readonly ReviewItem[]) =>
  reviewLines({ agent: 'Claude', scope: 'turn', items, shown: 0, unwatched: [] }).map(({ text }) =>
    text.trimEnd(),
  );

describe('the file list of a review', () => {
  it('says that there are no changes', () => {
    expect(shown()).toEqual(['Changes by Claude in the last turn', '', '  There are no changes to review.']);
  });

  it('lists what is not tracked instead of claiming that there are no changes', () => {
    const unwatched = [{ name: 'd', reason: 'is\u001b odd' }];
    const lines = (items: readonly ReviewItem[]) =>
      reviewLines({ agent: 'Claude', scope: 'turn', items, shown: 0, unwatched }).map(({ text }) => text);
    const said = ['', '  Not tracked, so changes here are not listed:', '    d  is␛ odd'];
    expect(lines([])).toEqual(['Changes by Claude in the last turn', ...said]);
    expect(lines([anItem()]).slice(2)).toEqual(said);
  });

  it.each<[string, Partial<ReviewItem>, string]>([
    ['open', {}, '› ○ a.ts  +6   -2   2 hunks'],
    ['one hunk', { hunks: 1 }, '› ○ a.ts  +6   -2'],
    ['new', { note: 'new', hunks: 1, removed: 0 }, '› ○ a.ts  +6        new'],
    ['moved', { note: 'was b.ts', hunks: 1 }, '› ○ a.ts  +6   -2   was b.ts'],
    ['kept', { state: 'kept' }, '› ✓ a.ts  kept'],
    ['a name with control characters', { name: 'a\n\u001b[31m' }, '› ○ a ␛[31m  +6   -2   2 hunks'],
  ])('%s', (_, fields, line) => expect(shown(anItem(fields))[1]).toBe(line));

  it('has words instead of signs in plain mode', () => {
    const items = [anItem(), anItem({ state: 'kept' }), anItem({ state: 'rejected' })];
    const list = { agent: 'Claude', scope: 'turn', items, shown: 0, unwatched: [], isPlain: true } as const;
    expect(
      reviewLines(list)
        .slice(1)
        .map(({ text }) => text.trimEnd()),
    ).toEqual(['shown, not reviewed: a.ts  +6   -2   2 hunks', 'kept: a.ts', 'rejected: a.ts']);
  });
});

describe('a restore', () => {
  const item = {
    name: 'a.ts',
    now: 'b\n',
    old: 'a\n',
    isBinary: false,
    mode: undefined,
    changedBy: undefined,
  };

  it('has a diff per file', () => {
    expect(restoreDiff([item]).slice(4)).toEqual(['@@ -1,1 +1,1 @@', '-b', '+a']);
    expect(restoreDiff([{ ...item, isBinary: true }])).toContain('Binary file a.ts would be restored');
    expect(restoreDiff([{ ...item, old: undefined }])).toContain('+++ /dev/null');
  });

  it('lists the effect on each file and who else changed it', () => {
    const items = [
      { ...item, changedBy: 'user' as const },
      { ...item, name: 'longer.ts', old: undefined, changedBy: 'other' as const },
      { ...item, name: 'b.ts', now: undefined, mode: 'executable' as const },
    ];
    expect(restoreDiff(items).slice(0, 3)).toEqual([
      'a.ts       is restored; changed by you since',
      'longer.ts  is deleted; changed by another session since',
      'b.ts       is created again, executable',
    ]);
    const { prompt, items: choices } = restorePicker(1, 2, items);
    expect(prompt).toBe(
      '3 files would change; changed by you since: a.ts; changed by another session since: longer.ts',
    );
    expect(choices.map(({ label }) => label).slice(0, 2)).toEqual([
      'Restore 1 file, leave what you and another session changed',
      'Restore all 3 files, those too',
    ]);
  });

  it('offers only all files if the user changed all of them', () => {
    const { prompt, items } = restorePicker(1, 2, [{ ...item, changedBy: 'user' }]);
    expect(prompt).toBe('1 file would change; changed by you since: a.ts');
    expect(items.map(({ label }) => label)).toEqual([
      'Restore 1 file, yours too',
      'Show the diff first',
      'Cancel',
    ]);
  });
});

it('rejectionsPrompt uses a fence longer than any in the lines', () => {
  const unwanted = ['```\n', 'x\r\n'];
  expect(rejectionsPrompt([{ path: 'a.md', line: 3, wanted: [], unwanted }])).toContain(
    'a.md:3\n````diff\n+```\n+x\n````\n',
  );
});
