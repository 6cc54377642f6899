import { describe, expect, it } from 'vitest';
import { noticeLines, planLines, thoughtLines } from '../../../../src/view/transcript/entries.ts';
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

describe('a plan', () => {
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
