import { expect, it } from 'vitest';
import { inboxPicker } from '../../../../src/view/pickers/inbox.ts';

const about = { chat: 1, agent: 'Tour', title: 'Parser', at: 60_000 };

it('the inbox says what waits, where and since when, without control characters', () => {
  const { items } = inboxPicker(
    [
      { ...about, kind: 'question', id: 7, text: 'Tour wants to run: rm\u001b[31m' },
      { ...about, kind: 'login' },
      { ...about, kind: 'failed', text: 'no credit' },
      { ...about, kind: 'finished', title: '' },
      { ...about, kind: 'changes', files: 2, at: 0 },
    ],
    180_000,
  );
  expect(items.map(({ label }) => label)).toEqual([
    '? Parser · Tour wants to run: rm␛[31m · 2 m ago',
    '? Parser · Tour · wants you to log in · 2 m ago',
    '✗ Parser · Tour · no credit · 2 m ago',
    '✓ Tour · has finished · 2 m ago',
    '± Parser · Tour · 2 files to review',
  ]);
  expect(items[0]).toMatchObject({ op: 'inbox.open', payload: { chat: 1, kind: 'question', id: 7 } });
});
