import { describe, expect, it } from 'vitest';
import { answer, chunk, notification, Talk, text, update } from './talk.ts';

const prompting = (sessionId = 's1') => {
  const talk = new Talk();
  return { talk, id: talk.ask('session/prompt', { sessionId, prompt: [] }) };
};

describe('6.5 the result of session/prompt', () => {
  it.each<[rule: string, wire: unknown, stopReason: string]>([
    ['D,E: no stopReason', null, 'end_turn'],
    ['D,E: no stopReason', {}, 'end_turn'],
    ['D,E: no stopReason', true, 'end_turn'],
    ['any: stopReason words', { stopReason: 'stop' }, 'end_turn'],
    ['any: stopReason words', { stopReason: 'complete' }, 'end_turn'],
    ['any: stopReason words', { stopReason: 'completed' }, 'end_turn'],
    ['any: stopReason words', { stopReason: 'done' }, 'end_turn'],
    ['any: stopReason words', { stopReason: 'canceled' }, 'cancelled'],
    ['any: stopReason words', { stopReason: 'interrupted' }, 'cancelled'],
    ['any: stopReason words', { stopReason: 'aborted' }, 'cancelled'],
    ['any: stopReason words', { stopReason: 'length' }, 'max_tokens'],
    ['any: snake_case keys', { stop_reason: 'refusal' }, 'refusal'],
  ])('%s: %j', (rule, wire, stopReason) => {
    const { talk, id } = prompting();
    expect(talk.hear(answer(id, wire))).toEqual([answer(id, { stopReason })]);
    expect(talk.rules).toContain(rule);
  });

  it.each(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'tired', 'constructor'])(
    'stays as it is: %s',
    (stopReason) => {
      const { talk, id } = prompting();
      const message = answer(id, { stopReason });
      expect(talk.hear(message)[0]).toBe(message);
    },
  );

  it('A: stopReason tool_error', () => {
    const { talk, id } = prompting();
    const title = 'The turn ended because a tool failed.';
    expect(talk.hear(answer(id, { stopReason: 'tool_error' }))).toEqual([
      update({ sessionUpdate: 'notice', severity: 'error', title }),
      answer(id, { stopReason: 'end_turn' }),
    ]);
    expect(talk.rules).toEqual(['A: stopReason tool_error']);
  });
});

describe('6.5 D: content in the prompt result', () => {
  const result = { content: [text('a'), text('b')] };
  const messageId = 'acp.nvim/message-1';

  it('is shown when nothing was said in this turn', () => {
    const { talk, id } = prompting('s2');
    talk.hear(update({ ...chunk('hm'), sessionUpdate: 'agent_thought_chunk' }, 's2'));
    talk.hear(update(chunk('elsewhere'), 's1'));
    expect(talk.hear(answer(id, result))).toEqual([
      update(chunk('a', { messageId }), 's2'),
      update(chunk('b', { messageId }), 's2'),
      answer(id, { stopReason: 'end_turn' }),
    ]);
    expect(talk.rules).toContain('D: content in the prompt result');
  });

  it.each([
    ['a chunk', update(chunk('a'))],
    ['a message of source B', update({ type: 'message', role: 'agent', content: [text('a')] })],
  ])('is not shown after %s', (_, said) => {
    const { talk, id } = prompting();
    talk.hear(said);
    expect(talk.hear(answer(id, result))).toEqual([answer(id, { stopReason: 'end_turn' })]);
  });

  it('is not shown either when other requests were answered in between', () => {
    const { talk, id } = prompting();
    talk.result('session/set_mode', {});
    talk.hear(update(chunk('a')));
    talk.result('session/set_mode', {});
    expect(talk.hear(answer(id, result))).toEqual([answer(id, { stopReason: 'end_turn' })]);
  });

  it('counts for the prompt that was asked last', () => {
    const { talk, id } = prompting();
    const next = talk.ask('session/prompt', { sessionId: 's1', prompt: [] });
    talk.hear(answer(id, { stopReason: 'cancelled' }));
    talk.hear(update(chunk('a')));
    expect(talk.hear(answer(next, result))).toEqual([answer(next, { stopReason: 'end_turn' })]);
  });

  it('looks at this turn only', () => {
    const { talk, id } = prompting();
    talk.hear(update(chunk('a')));
    talk.hear(answer(id, { stopReason: 'end_turn' }));
    const next = talk.ask('session/prompt', { sessionId: 's1', prompt: [] });
    expect(talk.hear(answer(next, { content: 'b' }))).toEqual([
      update(chunk('b', { messageId })),
      answer(next, { stopReason: 'end_turn' }),
    ]);
  });
});

describe('6.5 E: session/end_turn', () => {
  it.each([{ sessionId: 's2' }, {}, undefined])('with %j', (params) => {
    const talk = new Talk();
    const sessionId = params?.sessionId ?? 's1';
    expect(talk.hear(notification('session/end_turn', params))).toEqual([
      notification('_acp.nvim/end_turn', { sessionId }),
    ]);
    expect(talk.rules).toEqual(['E: session/end_turn']);
  });
});
