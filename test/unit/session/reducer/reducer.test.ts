import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../../src/model/agent.ts';
import { textPrompt } from '../../../../src/model/prompt.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { aChunk, aNotice, aSession, aToolCall, aTurn, isReady } from '../../../support/builders.ts';
import {
  aMode,
  aSwitch,
  asked,
  outline,
  plan,
  turnEnded,
  turnStarted,
} from '../../../support/session-events.ts';

describe('a question', () => {
  it('is open until it is settled', () => {
    const state = aTurn('go', asked);
    expect({ outline: outline(state), open: state.questions.length }).toEqual({
      outline: ['user: go', 'question: open'],
      open: 1,
    });
    const settled: SessionEvent = { kind: 'question_settled', questionId: 1, answer: 'Allow once' };
    expect(reduce(state, settled, 1)).toEqual([state.entries[1]]);
    expect(reduce(state, { ...settled, answer: 'Reject' }, 2)).toEqual([]);
    expect({ outline: outline(state), open: state.questions.length }).toEqual({
      outline: ['user: go', 'question: Allow once'],
      open: 0,
    });
  });

  it('changes with its tool call while it is open', () => {
    const state = aTurn('go', aToolCall({ title: 'bash' }), asked);
    expect(reduce(state, aToolCall({ title: 'rm -rf build' }), 1)).toContain(state.questions[0]);
  });

  it('with an unknown id is not settled', () => {
    expect(reduce(aTurn('go'), { kind: 'question_settled', questionId: 5, answer: 'x' }, 1)).toEqual([]);
  });

  it('closes the open message', () => {
    expect(outline(aTurn('go', aChunk('a'), asked, aChunk('b')))).toEqual([
      'user: go',
      'agent: a',
      'question: open',
      'agent: b',
    ]);
  });
});

describe('settings of the session', () => {
  it.each<[string, SessionEvent, Setting[]]>([
    [
      'change one at a time',
      { kind: 'setting', id: 'fast', value: true },
      [aMode, { ...aSwitch, current: true }],
    ],
    ['change with the mode', { kind: 'mode', mode: 'code' }, [{ ...aMode, current: 'code' }, aSwitch]],
    ['are replaced as a whole', { kind: 'settings', settings: [aSwitch] }, [aSwitch]],
  ])('%s', (_, event, expected) => {
    const state = aSession();
    reduce(state, { kind: 'settings', settings: [aMode, aSwitch] }, 1);
    reduce(state, event, 2);
    expect(state.settings).toEqual(expected);
  });
});

describe('the session state', () => {
  it.each<[string, SessionEvent, object]>([
    ['a title', { kind: 'title', title: 'Fix' }, { title: 'Fix' }],
    ['settings', { kind: 'settings', settings: [aMode] }, { settings: [aMode] }],
    ['a mode that is not offered', { kind: 'mode', mode: 'plan' }, { settings: [] }],
    [
      'usage',
      { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } },
      { usage: { used: 1, size: 2 } },
    ],
    ['commands', { kind: 'commands', commands: [] }, { commands: [] }],
    ['a start', { kind: 'agent_starting' }, { phase: 'starting' }],
    ['an agent', isReady, { phase: 'idle', agent: { name: 'tester', title: 'Tester' } }],
  ])('changes without an entry: %s', (_, event, expected) => {
    const state = aSession();
    expect(reduce(state, event, 1)).toEqual([]);
    expect(state).toMatchObject(expected);
  });

  it('queues prompts, and a turn removes the first', () => {
    const queued = (text: string): SessionEvent => ({ kind: 'prompt_queued', text });
    const state = aSession(isReady, queued('a'), queued('b'), turnStarted('a'));
    expect(state.queue).toEqual([textPrompt('b')]);
    reduce(state, { kind: 'queue_cleared' }, 1);
    expect(state.queue).toEqual([]);
  });

  it('gives entries rising ids', () => {
    const state = aTurn(
      'go',
      aChunk('a'),
      aToolCall(),
      plan('x'),
      asked,
      aNotice(),
      aChunk('b'),
      turnEnded('cancelled'),
    );
    const ids = state.entries.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
  });
});
