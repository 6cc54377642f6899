import { expect, it } from 'vitest';
import { transcriptMarkdown } from '../../../../src/view/export/transcript.ts';
import { aChunk, aNotice, aToolCall, aTurn } from '../../../support/builders.ts';
import { plan } from '../../../support/session-events.ts';

it('a transcript becomes Markdown with a heading for each speaker and without control characters', () => {
  const state = aTurn(
    'fix it',
    aChunk('hm', 'thought'),
    aToolCall({ title: 'Read\u001b[31m a.ts', toolKind: 'read', status: 'done' }),
    plan('first'),
    aChunk('Done.'),
    aNotice({ title: 'By the way' }),
  );
  expect(transcriptMarkdown(state).split('\n\n')).toEqual([
    '## You',
    'fix it',
    '## Tester',
    '> hm',
    '- read: Read␛[31m a.ts (done)',
    '- [ ] first',
    'Done.',
    '> By the way\n',
  ]);
});
