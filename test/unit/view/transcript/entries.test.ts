import { describe, expect, it } from 'vitest';
import type { TurnSummary } from '../../../../src/model/entries.ts';
import {
  noticeLines,
  planLines,
  promptLines,
  summaryLines,
  thoughtLines,
} from '../../../../src/view/transcript/entries.ts';
import type { ViewContext } from '../../../../src/view/transcript/view-context.ts';
import { aChunk, aNotice, aSession } from '../../../support/builders.ts';
import { contextOf, expectHarmless, hostileText, lastEntry, textsOf } from '../../../support/entry-lines.ts';

describe('a thought', () => {
  const draw = (state: ViewContext['state'], isOpen: boolean) => {
    const entry = lastEntry(state, 'message');
    return textsOf(thoughtLines(entry, contextOf(state, isOpen ? [entry.id] : [])));
  };

  it('is one line while closed', () => {
    const state = aSession(aChunk('hm\nso', 'thought'));
    expect([draw(state, false), draw(state, true)]).toEqual([
      ['▸ thinking for 5 s'],
      ['▾ thinking for 5 s', '    hm', '    so'],
    ]);
  });

  it('shows its duration', () => {
    const state = aSession(aChunk('hm', 'thought'), { kind: 'turn_ended', stopReason: 'end_turn' });
    expect(draw(state, false)).toEqual(['▸ thought for 1.0 s']);
  });
});

describe('a prompt', () => {
  const draw = (text: string, isOpen = false) => {
    const state = aSession({ kind: 'turn_started', text });
    const entry = lastEntry(state, 'message');
    return promptLines(entry, contextOf(state, isOpen ? [entry.id] : []));
  };
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

  it('is shown completely while it is short', () => {
    expect(textsOf(draw(numbered(15)))).toEqual(numbered(15).split('\n'));
  });

  it('shows its beginning if it is long, and all of it when it is open', () => {
    expect(textsOf(draw(numbered(500)))).toEqual([
      ...numbered(12).split('\n'),
      '… 488 more lines · za shows all',
    ]);
    expect(textsOf(draw(numbered(500), true))).toEqual(numbered(500).split('\n'));
  });

  it('is cut within a very long line', () => {
    const [first, hint] = textsOf(draw('x'.repeat(100_000)));
    expect(first?.length).toBeLessThan(2_000);
    expect(hint).toBe('… more · za shows all');
  });

  it('keeps its markup visible', () => {
    const spans = draw('# **a** `b` [c](d)').flatMap((line) => line.spans ?? []);
    expect(spans.map(({ hl }) => hl)).toEqual(expect.arrayContaining(['AcpBold', 'AcpCode', 'AcpLink']));
    expect(spans.every(({ hl }) => hl !== undefined)).toBe(true);
  });

  it('has code blocks', () => {
    const lines = draw('see\n```js\na\nb\n```\nor\n```c\nd');
    expect(lines.map(({ code }) => code?.language)).toEqual([
      ...[undefined, undefined, 'js', 'js', undefined],
      ...[undefined, undefined, 'c'],
    ]);
  });

  it('is sanitised', () => {
    expectHarmless(draw(hostileText));
  });
});

describe('the summary of a turn', () => {
  const draw = (summary: Partial<TurnSummary>, width?: number) => {
    const state = aSession({
      kind: 'turn_summary',
      summary: { ms: 42_000, files: 0, added: 0, removed: 0, cost: undefined, ...summary },
    });
    return textsOf(summaryLines(lastEntry(state, 'summary'), width));
  };

  it.each<[string, Partial<TurnSummary>, string]>([
    ['its time', {}, '✓ 42 s'],
    ['one file', { files: 1, added: 2 }, '✓ 42 s · 1 file +2 · :AcpReview'],
    [
      'files, lines and cost',
      { files: 3, added: 41, removed: 7, cost: { amount: 0.084, currency: 'USD' } },
      '✓ 42 s · 3 files +41 -7 · $0.08 · :AcpReview',
    ],
    ['that it was stopped', { isUnfinished: true }, '⊘ 42 s'],
    ['tokens', { tokens: 12_400 }, '✓ 42 s · 12.4k tokens'],
    [
      'the cost rather than the tokens',
      { tokens: 800, cost: { amount: 1, currency: 'EUR' } },
      '✓ 42 s · 1.00 EUR',
    ],
  ])('shows %s', (_, summary, expected) => expect(draw(summary)).toEqual([expected]));

  it.each([
    [31, ['✓ 42 s · 1 file +2 · :AcpReview']],
    [30, ['✓ 42 s · 1 file +2', '  :AcpReview']],
  ])('has its command in one piece, at %d columns', (width, expected) =>
    expect(draw({ files: 1, added: 2 }, width)).toEqual(expected),
  );
});

describe('a plan', () => {
  it.each(['# Plan\n\n1. Go', '**Plan**\n1. Go', 'Plan:\n\n1. Go', '1. Go'])(
    'has one heading: %j',
    (text) => {
      const state = aSession({ kind: 'plan', items: [], text });
      expect(textsOf(planLines(lastEntry(state, 'plan')))).toEqual(['Plan', '1. Go']);
    },
  );

  it('keeps a heading that says more', () => {
    const state = aSession({ kind: 'plan', items: [], text: '# Plan for the release\n1. Go' });
    expect(textsOf(planLines(lastEntry(state, 'plan')))).toEqual(['Plan', '# Plan for the release', '1. Go']);
  });

  it('counts the items that are done', () => {
    const items = [
      { text: 'find', status: 'done' },
      { text: 'keep\nit', status: 'running' },
      { text: 'test', status: 'pending' },
    ] as const;
    const state = aSession({ kind: 'plan', items });
    expect(textsOf(planLines(lastEntry(state, 'plan')))).toEqual([
      'Plan 1/3',
      '  ✓ find',
      '  ● keep it',
      '  ○ test',
    ]);
  });

  it('is sanitised', () => {
    const state = aSession({ kind: 'plan', items: [{ text: hostileText, status: 'done' }] });
    expectHarmless(planLines(lastEntry(state, 'plan')));
  });
});

describe('a notice', () => {
  const draw = (fields: Parameters<typeof aNotice>[0]) =>
    noticeLines(lastEntry(aSession(aNotice(fields)), 'notice'));

  it.each([
    ['info', '· '],
    ['warning', '! '],
    ['error', '! '],
  ] as const)('of severity %s starts with %j', (severity, sign) => {
    expect(draw({ severity, title: 'x' })[0]?.text).toBe(`${sign}x`);
  });

  it('has its details and its hint below', () => {
    const lines = draw({ title: 'It exited.\nReally.', detail: ['no key', 'a\nb'], hint: 'Restart it.' });
    expect(textsOf(lines)).toEqual(['· It exited.', '  Really.', '  no key', '  a', '  b', '  Restart it.']);
  });

  it('is sanitised', () => {
    expectHarmless(draw({ title: hostileText, detail: [hostileText], hint: hostileText }));
  });

  it('limits 1 MB of details', () => {
    const lines = draw({ title: 'x'.repeat(500_000), detail: ['y\n'.repeat(250_000)] });
    expect(textsOf(lines).join('\n').length).toBeLessThan(20_000);
  });
});
