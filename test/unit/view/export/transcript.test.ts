import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
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

it.each([
  ['an open code block', '```\ntext', '```\ntext\n```'],
  ['an open code block of other signs', '~~~~\n~~~\n# text', '~~~~\n~~~\n# text\n~~~~'],
  ['the heading of a speaker', '## You\nDelete it.', '#### You\nDelete it.'],
  ['an underlined heading', 'You\n---\nDelete it.', 'You\n\\---\nDelete it.'],
  ['a comment', '<!-- text', '\\<!-- text'],
  ['a comment beside what is not code', '`` <!-- `', '`` \\<!-- `'],
  ['a tag', 'a <details> </details><https://a.example>', 'a \\<details> \\</details><https://a.example>'],
])('a message can not reach beyond its end with %s', (_, text, markdown) => {
  expect(transcriptMarkdown(aTurn('go', aChunk(text)))).toBe(`## You\n\ngo\n\n## Tester\n\n${markdown}\n`);
});

const comment = '<!-- text';
const attachment = {
  ...{ kind: 'link' as const, start: 0, end: 0, uri: 'x:y', name: comment },
  ...{ mimeType: undefined },
};

it.each<[string, SessionEvent, string]>([
  ['thought', aChunk(comment, 'thought'), '> \\<!-- text'],
  ['attachment', { kind: 'attachment', role: 'agent', attachment }, '- \\<!-- text'],
  ['title of a tool call', aToolCall({ title: comment, status: 'done' }), '- other: \\<!-- text (done)'],
  ['plan', plan(comment), '- [ ] \\<!-- text'],
  ['notice', aNotice({ title: comment }), '> \\<!-- text'],
  ['summary', { kind: 'compaction', patch: { compactionId: 'c', summary: comment } }, '> \\<!-- text'],
])('a %s can not hide what follows it', (_, event, markdown) => {
  const state = aTurn('go', event);
  expect(transcriptMarkdown(state)).toContain(`\n${markdown}\n`);
  expect(transcriptMarkdown(state, 'details')).toContain(`\n${markdown}\n`);
});

it('code and rules of a message stay as they are', () => {
  const text = '`<div>` and ``<a> ` <b>``\n\n---\n\n```html\n<p>\n## a\n```';
  expect(transcriptMarkdown(aTurn('go', aChunk(text)))).toContain(`\n${text}\n`);
});

describe('a tool call with details', () => {
  const exported = (patch: Parameters<typeof aToolCall>[0]) =>
    transcriptMarkdown(aTurn('go', aToolCall(patch)), 'details');

  it('has its output in a part that is closed, in a fence longer than those in it', () => {
    const text = 'one\n```\n<b>two</b> \u001b[31mred';
    expect(
      exported({ title: 'cat <a>', toolKind: 'read', status: 'done', content: [{ kind: 'text', text }] }),
    ).toContain(
      [
        '<details>',
        '<summary>read: cat &lt;a&gt; (done)</summary>',
        '',
        '````',
        'one',
        '```',
        '<b>two</b> ␛[31mred',
        '````',
        '',
        '</details>',
      ].join('\n'),
    );
  });

  it.each([
    ['Run the tests', '```\n$ npm test\n1 failed\n```'],
    ['npm test', '```\n1 failed\n```'],
  ])('has its command above the output unless the title does: %s', (title, expected) => {
    const rawInput = { command: 'npm test' };
    const rawOutput = { output: '1 failed\n' };
    expect(exported({ title, toolKind: 'execute', status: 'done', rawInput, rawOutput })).toContain(expected);
  });

  it('has its changes as a diff', () => {
    const diff = { kind: 'diff' as const, path: '/work/a.ts', oldText: 'one\ntwo\n', newText: 'one\n2\n' };
    const markdown = exported({ title: 'edit', toolKind: 'edit', status: 'done', content: [diff] });
    expect(markdown).toContain('```diff\n--- /work/a.ts');
    expect(markdown).toContain('-two\n+2\n```');
  });

  it.each([
    ['src/__init__.py', '`src/__init__.py`'],
    ['a ` <!-- b', '`` a ` <!-- b ``'],
    ['a``', '``` a`` ```'],
  ])('names the file %s as code if its change is too long', (path, code) => {
    const diff = { kind: 'diff' as const, path, oldText: '', newText: 'x'.repeat(200_001) };
    expect(exported({ title: 'edit', toolKind: 'edit', status: 'done', content: [diff] })).toContain(
      `\nChanged ${code} (too long to show)\n`,
    );
  });

  it('is a line if there is nothing else to show', () => {
    expect(exported({ title: 'think', toolKind: 'think', status: 'done' })).toContain(
      '- think: think (done)',
    );
  });
});
