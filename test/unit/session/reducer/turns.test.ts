import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { aChunk, aNotice, aToolCall, aTurn, isReady } from '../../../support/builders.ts';
import {
  aMode,
  asked,
  cancelled,
  outline,
  plan,
  toolOf,
  turnEnded,
  turnStarted,
} from '../../../support/session-events.ts';

describe('the end of a turn', () => {
  it('closes the calls that the agent left open, and nothing else', () => {
    const state = aTurn(
      'go',
      aToolCall({ toolCallId: '1', status: 'running' }),
      aToolCall({ toolCallId: '2' }),
      aToolCall({ toolCallId: '3', status: 'done' }),
      aToolCall({ toolCallId: '4', status: 'failed' }),
      aChunk('bye'),
    );
    const changed = reduce(state, turnEnded(), 99_000);
    expect([...state.tools.values()].map(({ status }) => status)).toEqual([
      'unreported',
      'cancelled',
      'done',
      'failed',
    ]);
    expect(changed.map(({ kind }) => kind).sort()).toEqual(['message', 'tool', 'tool']);
    expect(state).toMatchObject({ phase: 'idle', phaseSince: 99_000, openMessage: undefined });
  });

  it.each<[string, string[]]>([
    ['end_turn', []],
    ['cancelled', ['info: Stopped.']],
    ['max_tokens', ['warning: The answer was cut off: the token limit is reached.']],
    ['max_turn_requests', ['warning: The agent stopped: it reached the limit of requests for one turn.']],
    [
      'refusal',
      [
        'warning: The agent refused to continue. It has removed this prompt and everything after it from the session.',
      ],
    ],
    ['tired', ['info: The turn ended with an unknown stop reason: tired.']],
    ['constructor', ['info: The turn ended with an unknown stop reason: constructor.']],
  ])('with the stop reason %s adds %j', (stopReason, expected) => {
    expect(outline(aTurn('go', aChunk('a'), turnEnded(stopReason))).slice(2)).toEqual(expected);
  });

  it('without any answer adds a warning', () => {
    const silence = ['warning: The agent ended the turn without an answer.'];
    expect(outline(aTurn('go', turnEnded())).slice(1)).toEqual(silence);
    expect(outline(aTurn('go', aToolCall(), turnEnded())).filter((line) => line === silence[0])).toEqual([]);
  });
});

describe('a cancelled turn', () => {
  it('marks open tool calls immediately and waits for the end of the turn', () => {
    const state = aTurn('go', aToolCall({ status: 'running' }));
    expect(reduce(state, cancelled, 7_000)).toEqual([toolOf(state)]);
    expect(state.phase).toBe('cancelling');
    expect(toolOf(state)).toMatchObject({ status: 'cancelled', endedAt: 7_000 });
  });

  it.each(['done', 'failed', 'running'] as const)(
    'accepts the status that is reported of an edit: %s',
    (status) => {
      const call = aToolCall({ toolKind: 'edit', status: 'running' });
      expect(toolOf(aTurn('go', call, cancelled, aToolCall({ status }))).status).toBe(status);
    },
  );

  it.each(['done', 'failed'] as const)('keeps a command cancelled that is reported as %s', (status) => {
    const call = aToolCall({ status, content: [{ kind: 'text', text: 'tick 1' }] });
    const running = aToolCall({ toolKind: 'execute', status: 'running' });
    const state = aTurn('go', running, cancelled, call, turnEnded());
    expect(toolOf(state)).toMatchObject({ status: 'cancelled', content: [{ text: 'tick 1' }] });
  });

  it.each<[string, SessionEvent[]]>([
    ['was running', [aToolCall({ toolKind: 'execute', status: 'running' }), cancelled]],
    ['began after the cancel', [cancelled, aToolCall({ toolKind: 'execute' })]],
  ])('keeps a command cancelled that %s and is reported as running and done', (_, events) => {
    const reported = [aToolCall({ status: 'running' }), aToolCall({ status: 'done' })];
    const state = aTurn('go', ...events, ...reported, turnEnded(), aToolCall({ status: 'pending' }));
    expect(toolOf(state).status).toBe('cancelled');
  });

  it('keeps a call cancelled that was not allowed and is reported as failed', () => {
    const call = aToolCall({ toolKind: 'edit' });
    const state = aTurn('go', call, asked, cancelled, aToolCall({ status: 'failed' }), turnEnded());
    expect(toolOf(state).status).toBe('cancelled');
  });

  it('adds the cancel notice if the agent answers with end_turn', () => {
    expect(outline(aTurn('go', cancelled, turnEnded()))).toEqual(['user: go', 'info: Stopped.']);
  });

  it('keeps a call cancelled whose update has no status', () => {
    const state = aTurn('go', aToolCall({ status: 'running' }), cancelled, aToolCall({ title: 'late' }));
    expect(toolOf(state)).toMatchObject({ status: 'cancelled', title: 'late' });
  });

  it('keeps the start time of the turn', () => {
    expect(aTurn('go', cancelled).phaseSince).toBe(aTurn('go').phaseSince);
  });
});

describe('losing the agent', () => {
  const gone: SessionEvent = {
    kind: 'agent_gone',
    notice: aNotice({ severity: 'error', title: 'It exited.' }),
  };

  it('closes open entries and adds the reason', () => {
    const state = aTurn('go', aToolCall({ title: 'ls', status: 'running' }), aChunk('half a'), gone);
    expect(outline(state)).toEqual(['user: go', 'tool: ls cancelled', 'agent: half a', 'error: It exited.']);
    expect(state).toMatchObject({ phase: 'down', openMessage: undefined });
  });

  it('adds no notice without a reason', () => {
    expect(outline(aTurn('go', { kind: 'agent_gone' }))).toEqual(['user: go']);
  });

  it('clears calls, plans and settings for the next start', () => {
    const again: SessionEvent[] = [gone, { kind: 'agent_starting' }, isReady, turnStarted('more')];
    const state = aTurn(
      'go',
      aToolCall({ title: 'old', status: 'done' }),
      plan('old'),
      { kind: 'commands', commands: [{ name: 'old', description: '', hint: undefined }] },
      { kind: 'settings', settings: [aMode] },
      { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } },
      ...again,
      aToolCall({ title: 'new' }),
    );
    expect(outline(state).filter((line) => line.startsWith('tool'))).toEqual([
      'tool: old done',
      'tool: new pending',
    ]);
    expect(state).toMatchObject({ commands: [], settings: [], usage: undefined });
  });
});

describe('a prompt that the agent has taken into the running turn', () => {
  const queued = (text: string, flags: object): SessionEvent => ({ kind: 'prompt_queued', text, ...flags });
  const taken = (text: string, id?: string): SessionEvent => ({
    kind: 'prompt_injected',
    text,
    ...(id !== undefined && { id }),
  });

  it.each<[string, readonly SessionEvent[], readonly object[]]>([
    [
      'leaves the queue, and one that is offered before it stays',
      [queued('x', { id: '1', isOffered: true }), queued('y', { id: '2', isOffered: true }), taken('y', '2')],
      [{ id: '1', text: 'x' }],
    ],
    [
      'leaves the queue also if it is not offered any more, and one that is offered stays',
      [queued('x', { id: '1', isOffered: true }), queued('y', { id: '2' }), taken('y', '2')],
      [{ id: '1', text: 'x' }],
    ],
    [
      'is the one that was offered of two with the same text',
      [queued('x', { isHeld: true }), queued('x', { isOffered: true }), taken('x')],
      [{ text: 'x', isHeld: true }],
    ],
  ])('%s', (_, events, left) => {
    expect(aTurn('go', ...events).queue).toMatchObject(left);
    expect(aTurn('go', ...events).queue).toHaveLength(1);
  });
});

describe('the prompt of a turn that begins', () => {
  const queued = (text: string, flags: object = {}): SessionEvent => ({
    kind: 'prompt_queued',
    text,
    ...flags,
  });

  it.each<[string, readonly SessionEvent[], readonly object[]]>([
    ['is not the held one', [queued('x', { isHeld: true }), queued('x')], [{ text: 'x', isHeld: true }]],
    [
      'is not the offered one',
      [queued('x', { isOffered: true }), queued('x')],
      [{ text: 'x', isOffered: true }],
    ],
    ['is the one with its id', [queued('y', { id: '2' }), queued('x', { id: '1' })], [{ id: '2' }]],
  ])('%s', (_, events, left) => {
    const state = aTurn('before', ...events, turnEnded(), { ...turnStarted('x'), id: '1' } as SessionEvent);
    expect(state.queue).toMatchObject(left);
    expect(state.queue).toHaveLength(1);
  });
});
