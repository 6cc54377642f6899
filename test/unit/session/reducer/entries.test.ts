import { describe, expect, it } from 'vitest';
import type { SessionState } from '../../../../src/model/session.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { aChunk, aNotice, aSession, aToolCall, aTurn, isReady } from '../../../support/builders.ts';
import {
  cancelled,
  completeMessage,
  outline,
  plan,
  turnEnded,
  turnStarted,
} from '../../../support/session-events.ts';

describe('chunks', () => {
  it.each<[string, SessionEvent[], string[]]>([
    ['of one role make one message', [aChunk('a'), aChunk('b')], ['agent: ab']],
    [
      'of another role start a new message',
      [aChunk('a', 'thought'), aChunk('b')],
      ['thought: a', 'agent: b'],
    ],
    [
      'with the same id make one message',
      [aChunk('a', 'agent', '1'), aChunk('b', 'agent', '1')],
      ['agent: ab'],
    ],
    [
      'with another id start a new message',
      [aChunk('a', 'agent', '1'), aChunk('b', 'agent', '2')],
      ['agent: a', 'agent: b'],
    ],
    ['without an id continue the open message', [aChunk('a', 'agent', '1'), aChunk('b')], ['agent: ab']],
    [
      'with an id do not continue a message without one',
      [aChunk('a'), aChunk('b', 'agent', '1')],
      ['agent: a', 'agent: b'],
    ],
    [
      'with the same id but another role start a new message',
      [aChunk('a', 'thought', '1'), aChunk('b', 'agent', '1')],
      ['thought: a', 'agent: b'],
    ],
    [
      'after a tool call start a new message',
      [aChunk('a'), aToolCall({ title: 'ls' }), aChunk('b')],
      ['agent: a', 'tool: ls pending', 'agent: b'],
    ],
    [
      'after a plan start a new message',
      [aChunk('a'), plan('x'), aChunk('b')],
      ['agent: a', 'plan: x', 'agent: b'],
    ],
    [
      'after a notice start a new message',
      [aChunk('a'), aNotice({ title: 'n' }), aChunk('b')],
      ['agent: a', 'info: n', 'agent: b'],
    ],
    [
      'continue the message after an update of a tool call',
      [aToolCall({ title: 'ls' }), aChunk('a'), aToolCall({ status: 'running' }), aChunk('b')],
      ['tool: ls running', 'agent: ab'],
    ],
    [
      'after the end of a tool call start a new message',
      [aToolCall({ title: 'ls' }), aChunk('a'), aToolCall({ status: 'done' }), aChunk('b')],
      ['tool: ls done', 'agent: a', 'agent: b'],
    ],
    [
      'continue the message after a repeated end of a tool call',
      [aToolCall({ title: 'ls', status: 'done' }), aChunk('a'), aToolCall({ status: 'done' }), aChunk('b')],
      ['tool: ls done', 'agent: ab'],
    ],
    [
      'that are complete messages stand alone',
      [aChunk('a'), completeMessage('Info: b'), completeMessage('Info: b'), aChunk('c')],
      ['agent: a', 'agent: Info: b', 'agent: Info: b', 'agent: c'],
    ],
    [
      'that are complete and empty only end a message',
      [aChunk('a'), completeMessage(''), aChunk('b')],
      ['agent: a', 'agent: b'],
    ],
    ['of whitespace start no message', [aChunk('\n'), aChunk(' '), aChunk('\n', 'thought')], []],
    ['of whitespace continue a message', [aChunk('a'), aChunk('\n'), aChunk('b')], ['agent: a\nb']],
    [
      'continue the message after mode changes and unknown updates',
      [aChunk('a'), { kind: 'mode', mode: 'x' }, { kind: 'unknown', name: 'y', raw: 1 }, aChunk('b')],
      ['agent: ab', 'unknown: 1 y'],
    ],
    [
      'continue the message after a passing notice',
      [aChunk('a'), aNotice({ title: 'n', isNotJournaled: true }), aChunk('b')],
      ['agent: ab', 'info: n'],
    ],
    [
      'continue the message during a compaction',
      [aChunk('a'), { kind: 'compaction', patch: { compactionId: 'c' } }, aChunk('b')],
      ['agent: ab', 'compaction: running '],
    ],
    ['that are empty start no message', [aChunk(''), aChunk('', 'thought')], []],
    [
      'that are empty do not close a message',
      [aChunk('a'), aChunk('', 'thought'), aChunk('b')],
      ['agent: ab'],
    ],
  ])('%s', (_, events, expected) => expect(outline(aSession(isReady, ...events))).toEqual(expected));

  it('return only the changed message', () => {
    const state = aSession(isReady, aChunk('a'));
    expect(reduce(state, aChunk('b'), 5)).toEqual([state.entries[0]]);
  });

  it('close the previous message and note the time', () => {
    const state = aSession(isReady, aChunk('hm', 'thought'));
    const changed = reduce(state, aChunk('a'), 9_000);
    expect(changed).toEqual(state.entries);
    expect(state.entries[0]).toMatchObject({ endedAt: 9_000 });
  });

  it('outside a turn are shown', () => {
    const state = aSession(isReady, turnStarted('hi'), aChunk('yes'), turnEnded(), aChunk('late'));
    expect(outline(state)).toEqual(['user: hi', 'agent: yes', 'agent: late']);
  });
});

describe('an echoed prompt', () => {
  const echo = (text: string) => aChunk(text, 'user');
  it.each<[string, SessionState, string[]]>([
    ['is not shown twice', aTurn('fix it', echo('fix it')), ['user: fix it']],
    ['is not shown twice in pieces', aTurn('fix it', echo('fix '), echo('it')), ['user: fix it']],
    ['is not shown twice with a newline', aTurn('fix it', echo('fix it\n')), ['user: fix it']],
    [
      'does not split the answer',
      aTurn('fix it', aChunk('a'), echo('fix it'), aChunk('b')),
      ['user: fix it', 'agent: ab'],
    ],
    ['is not shown while cancelling', aTurn('fix it', cancelled, echo('fix it')), ['user: fix it']],
    ['is not shown in other words', aTurn('fix it', echo('stop')), ['user: fix it']],
    ['is shown as history outside a turn', aSession(isReady, echo('fix it')), ['user: fix it']],
  ])('%s', (_, state, expected) => expect(outline(state)).toEqual(expected));
});

describe('a plan', () => {
  it('is replaced in place', () => {
    expect(outline(aTurn('go', plan('a'), aChunk('x'), plan('a', 'b')))).toEqual([
      'user: go',
      'plan: a, b',
      'agent: x',
    ]);
  });

  it('belongs to one turn', () => {
    const state = aTurn('go', plan('a'), turnEnded(), turnStarted('more'), plan('b'));
    expect(outline(state)).toEqual(['user: go', 'plan: a', 'user: more', 'plan: b']);
  });

  it('that is empty from the start has no entry', () => {
    expect(outline(aTurn('go', plan()))).toEqual(['user: go']);
  });

  it('may be cleared and filled again', () => {
    expect(outline(aTurn('go', plan('a'), plan(), plan('b')))).toEqual(['user: go', 'plan: b']);
  });
});

describe('a compaction', () => {
  const compaction = (status?: 'done'): SessionEvent => ({
    kind: 'compaction',
    patch: { compactionId: 'c', ...(status && { status }) },
  });

  it('survives the end of a turn and is cancelled with the agent', () => {
    const state = aTurn('hi', compaction(), turnEnded());
    expect(outline(state)).toContain('compaction: running ');
    reduce(state, { kind: 'agent_gone' }, 5_000);
    expect(outline(state)).toContain('compaction: cancelled ');
  });

  it('after a restart of the agent is another entry', () => {
    const state = aSession(isReady, compaction('done'), { kind: 'agent_starting' }, compaction());
    expect(outline(state)).toEqual(['compaction: done ', 'compaction: running ']);
  });
});

it('unknown updates with thousands of names make a few entries with short names', () => {
  const events = Array.from({ length: 5_000 }, (_, at) => ({
    ...{ kind: 'unknown' as const, raw: at },
    name: `${at}${'x'.repeat(1_000)}`,
  }));
  const entries = outline(aSession(...events));
  expect(entries).toHaveLength(51);
  expect(entries[50]).toBe('unknown: 4950 …');
  expect(entries[0]!.length).toBeLessThan(120);
});
