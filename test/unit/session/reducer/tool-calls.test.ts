import { describe, expect, it } from 'vitest';
import type { ToolEntry } from '../../../../src/model/entries.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { aChunk, aQuestion, aSession, aToolCall, aTurn } from '../../../support/builders.ts';
import {
  asked,
  cancelled,
  outline,
  toolOf,
  turnEnded,
  turnStarted,
} from '../../../support/session-events.ts';

describe('a tool call', () => {
  it.each<[string, SessionEvent[], object]>([
    [
      'starts as pending',
      [aToolCall()],
      { status: 'pending', toolKind: 'other', content: [], endedAt: undefined },
    ],
    ['without a title shows its id', [aToolCall()], { title: 'call-1' }],
    [
      'without a title shows its kind rather than its id',
      [aToolCall({ toolKind: 'read' })],
      { title: 'read', toolKind: 'read' },
    ],
    [
      'may get its title later',
      [aToolCall({ toolKind: 'read' }), aToolCall({ title: 'a.ts' })],
      { title: 'a.ts' },
    ],
    [
      'keeps fields that an update leaves out',
      [aToolCall({ title: 'ls', toolKind: 'execute', rawInput: { a: 1 } }), aToolCall({ status: 'running' })],
      { title: 'ls', toolKind: 'execute', rawInput: { a: 1 }, status: 'running' },
    ],
    [
      'replaces its content as a whole',
      [
        aToolCall({ content: [{ kind: 'text', text: 'a' }] }),
        aToolCall({ content: [{ kind: 'text', text: 'b' }] }),
      ],
      { content: [{ kind: 'text', text: 'b' }] },
    ],
    [
      'may lose its content',
      [aToolCall({ content: [{ kind: 'text', text: 'a' }] }), aToolCall({ content: [] })],
      { content: [] },
    ],
    [
      'may be reported twice',
      [aToolCall({ title: 'ls', status: 'running' }), aToolCall({ title: 'ls', status: 'running' })],
      { status: 'running' },
    ],
    [
      'may go back to pending',
      [aToolCall({ status: 'running' }), aToolCall({ status: 'pending' })],
      { status: 'pending', endedAt: undefined },
    ],
    [
      'records when it ended',
      [aToolCall({ status: 'running' }), aToolCall({ status: 'done' })],
      { status: 'done', at: 0, endedAt: 1_000 },
    ],
    [
      'keeps the time of its end',
      [aToolCall({ status: 'done' }), aToolCall({ status: 'failed' })],
      { status: 'failed', endedAt: 0 },
    ],
    [
      'may run again after its end',
      [aToolCall({ status: 'done' }), aToolCall({ status: 'running' })],
      { status: 'running', endedAt: undefined },
    ],
    [
      'keeps a raw output that is false',
      [aToolCall({ rawOutput: false }), aToolCall()],
      { rawOutput: false },
    ],
  ])('%s', (_, events, expected) => {
    const state = aSession(...events);
    expect(state.entries).toHaveLength(1);
    expect(toolOf(state)).toMatchObject(expected);
  });

  it('keeps its position', () => {
    const other = aToolCall({ toolCallId: 'call-2', title: 'b' });
    const state = aSession(aToolCall({ title: 'a' }), other, aToolCall({ status: 'done' }));
    expect(outline(state)).toEqual(['tool: a done', 'tool: b pending']);
  });

  it('may have an id like "constructor"', () => {
    const state = aSession(aToolCall({ toolCallId: '__proto__' }), aToolCall({ toolCallId: 'constructor' }));
    expect(outline(state)).toEqual(['tool: __proto__ pending', 'tool: constructor pending']);
  });
});

it('a call of a subagent does not divide the message that the agent writes meanwhile', () => {
  const state = aTurn(
    'go',
    aToolCall({ toolCallId: 'task', status: 'running' }),
    aChunk('I '),
    aToolCall({ toolCallId: 'a', parent: 'task', status: 'running' }),
    aChunk('wait'),
    aToolCall({ toolCallId: 'a', status: 'done' }),
    aChunk('.'),
  );
  const texts = state.entries.flatMap((entry) => (entry.kind === 'message' ? [entry.text.toString()] : []));
  expect(texts).toEqual(['go', 'I wait.']);
});

describe('tool arguments in the content', () => {
  const text = (content: string) => ({ content: [{ kind: 'text', text: content }] as const });
  const call = (...patches: object[]) => toolOf(aTurn('go', ...patches.map((patch) => aToolCall(patch))));

  it.each<[string, ToolEntry, unknown]>([
    ['become the raw input', call(text('{"command":"rm -rf /"}')), { command: 'rm -rf /' }],
    [
      'stay the raw input when the content changes',
      call(text('{"command":"ls"}'), text('Run ls?')),
      { command: 'ls' },
    ],
    ['are ignored while incomplete', call(text('{"command":"rm')), undefined],
    ['do not replace a raw input', call({ rawInput: { a: 1 } }, text('{"b":2}')), { a: 1 }],
    ['are ignored after the end of the call', call({ status: 'done', ...text('{"name":"x"}') }), undefined],
  ])('%s', (_, tool, expected) => expect(tool.rawInput).toEqual(expected));
});

describe('a tool call with a question', () => {
  const settled = (optionId?: string): SessionEvent => ({
    kind: 'question_settled',
    questionId: 1,
    answer: 'x',
    ...(optionId !== undefined && { optionId }),
  });
  /** Events at 0, 1, 2 … seconds; the answer comes 20 s after the question. */
  const call = (first: SessionEvent, answer: SessionEvent, ...later: SessionEvent[]) => {
    const state = aSession(first, asked);
    for (const [index, event] of [answer, ...later].entries()) reduce(state, event, 21_000 + index * 1_000);
    return toolOf(state);
  };

  it.each(['yes', 'always'])('runs once the user has allowed it: %s', (optionId) => {
    expect(call(aToolCall(), settled(optionId))).toMatchObject({ status: 'running', startedAt: 21_000 });
  });

  it.each([['no'], [undefined]])('stays pending without consent: %s', (optionId) => {
    expect(call(aToolCall(), settled(optionId)).status).toBe('pending');
  });

  it('does not count the time until the answer', () => {
    const tool = call(aToolCall({ status: 'running' }), settled('yes'), aToolCall({ status: 'done' }));
    expect(tool.endedAt! - tool.startedAt).toBe(2_000);
  });

  it('keeps running when the agent reports pending after the consent', () => {
    const tool = call(
      aToolCall(),
      settled('yes'),
      aToolCall({ status: 'running' }),
      aToolCall({ status: 'pending' }),
    );
    expect(tool.status).toBe('running');
  });

  it('stays rejected when the agent reports that it failed', () => {
    const tool = call(aToolCall(), settled('no'), aToolCall({ status: 'failed' }));
    expect(tool).toMatchObject({ isRejected: true, status: 'failed' });
  });

  it('is no longer rejected when it runs anyway', () => {
    const tool = call(aToolCall(), settled('no'), aToolCall({ status: 'running' }));
    expect(tool).toMatchObject({ isRejected: false, status: 'running' });
  });

  describe('that only the question mentions', () => {
    const onlyAsked = aToolCall({ title: 'rm', isAskedOnly: true });

    it('has no entry, also after the turn', () => {
      const state = aSession(onlyAsked, asked, settled('yes'), turnEnded());
      expect(outline(state)).toEqual(['question: x']);
    });

    it('is not drawn when the turn ends while it is open, and the other open call is', () => {
      const other = aToolCall({ toolCallId: 'c2', title: 'ls', status: 'running' });
      const state = aSession(turnStarted('go'), onlyAsked, other, cancelled);
      const changed = reduce(state, turnEnded('cancelled'), 0);
      expect(changed.map((entry) => entry.kind)).toEqual(['notice']);
      const open = aSession(turnStarted('go'), onlyAsked, other);
      expect(reduce(open, turnEnded(), 0)).toMatchObject([{ kind: 'tool', title: 'ls' }]);
    });

    it('gets an entry once the agent reports it', () => {
      const state = aSession(onlyAsked, asked, settled('yes'), aToolCall({ status: 'done' }));
      expect(outline(state)).toEqual(['question: x', 'tool: rm done']);
    });

    it('changes in the open question too after the agent has reported it', () => {
      const state = aSession(onlyAsked, asked, aToolCall({ title: 'ls' }), aToolCall({ title: 'rm -r' }));
      expect(state.questions.map(({ tool }) => tool?.title)).toEqual(['rm -r']);
      expect(outline(state)).toEqual(['question: open', 'tool: rm -r pending']);
    });

    it('applies the answer to the only open call', () => {
      const other = aToolCall({ toolCallId: 'c2', title: 'rm old.log' });
      const state = aSession(other, onlyAsked, asked, settled('yes'));
      expect(toolOf(state, 'c2').status).toBe('running');
    });

    it('leaves an open call alone if the plugin asks', () => {
      const other = aToolCall({ toolCallId: 'c2', title: 'make', status: 'running' });
      const ours = { kind: 'question_asked', question: aQuestion({ isOurs: true }) } as const;
      const state = aSession(other, onlyAsked, ours, settled('no'));
      expect(toolOf(state, 'c2')).toMatchObject({ startedAt: 0, isRejected: false });
    });
  });
});
