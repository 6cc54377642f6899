import { describe, expect, it } from 'vitest';
import {
  answer,
  chunk,
  DialectHarness,
  notification,
  text,
  update,
} from '../../../support/dialects/dialect-harness.ts';

const prompting = (sessionId = 's1') => {
  const talk = new DialectHarness();
  return { talk, id: talk.request('session/prompt', { sessionId, prompt: [] }) };
};

describe('result of session/prompt', () => {
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
    expect(talk.receive(answer(id, wire))).toEqual([answer(id, { stopReason })]);
    expect(talk.rules).toContain(rule);
  });

  it.each(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'tired', 'constructor'])(
    'is not changed: %s',
    (stopReason) => {
      const { talk, id } = prompting();
      const message = answer(id, { stopReason });
      expect(talk.receive(message)[0]).toBe(message);
    },
  );

  it('A: stopReason tool_error', () => {
    const { talk, id } = prompting();
    const title = 'The turn ended because a tool failed.';
    expect(talk.receive(answer(id, { stopReason: 'tool_error' }))).toEqual([
      update({ sessionUpdate: 'notice', severity: 'error', title }),
      answer(id, { stopReason: 'end_turn' }),
    ]);
    expect(talk.rules).toEqual(['A: stopReason tool_error']);
  });
});

describe('D: content in the prompt result', () => {
  const result = { content: [text('a'), text('b')] };
  const messageId = 'acp.nvim/message-1';

  it('becomes a message if the turn had none', () => {
    const { talk, id } = prompting('s2');
    talk.receive(update({ ...chunk('hm'), sessionUpdate: 'agent_thought_chunk' }, 's2'));
    talk.receive(update(chunk('elsewhere'), 's1'));
    expect(talk.receive(answer(id, result))).toEqual([
      update(chunk('a', { messageId }), 's2'),
      update(chunk('b', { messageId }), 's2'),
      answer(id, { stopReason: 'end_turn' }),
    ]);
    expect(talk.rules).toContain('D: content in the prompt result');
  });

  it.each([
    ['a chunk', update(chunk('a'))],
    ['a message of source B', update({ type: 'message', role: 'agent', content: [text('a')] })],
  ])('is dropped after %s', (_, said) => {
    const { talk, id } = prompting();
    talk.receive(said);
    expect(talk.receive(answer(id, result))).toEqual([answer(id, { stopReason: 'end_turn' })]);
  });

  it('is dropped after a message, also if other requests were answered in between', () => {
    const { talk, id } = prompting();
    talk.result('session/set_mode', {});
    talk.receive(update(chunk('a')));
    talk.result('session/set_mode', {});
    expect(talk.receive(answer(id, result))).toEqual([answer(id, { stopReason: 'end_turn' })]);
  });

  it('belongs to the last prompt of the session', () => {
    const { talk, id } = prompting();
    const next = talk.request('session/prompt', { sessionId: 's1', prompt: [] });
    talk.receive(answer(id, { stopReason: 'cancelled' }));
    talk.receive(update(chunk('a')));
    expect(talk.receive(answer(next, result))).toEqual([answer(next, { stopReason: 'end_turn' })]);
  });

  it('ignores messages of earlier turns', () => {
    const { talk, id } = prompting();
    talk.receive(update(chunk('a')));
    talk.receive(answer(id, { stopReason: 'end_turn' }));
    const next = talk.request('session/prompt', { sessionId: 's1', prompt: [] });
    expect(talk.receive(answer(next, { content: 'b' }))).toEqual([
      update(chunk('b', { messageId })),
      answer(next, { stopReason: 'end_turn' }),
    ]);
  });
});

describe('E: session/end_turn', () => {
  it.each([{ sessionId: 's2' }, {}, undefined])('with %j', (params) => {
    const talk = new DialectHarness();
    const sessionId = params?.sessionId ?? 's1';
    expect(talk.receive(notification('session/end_turn', params))).toEqual([
      notification('_acp.nvim/end_turn', { sessionId }),
    ]);
    expect(talk.rules).toEqual(['E: session/end_turn']);
  });
});

describe('a prompt to an agent of another document', () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  const params = { sessionId: 's1', prompt: [text('see'), image] };
  const sentParams = (talk: DialectHarness) =>
    (
      talk.dialects.outbound({ jsonrpc: '2.0', id: 9, method: 'session/prompt', params }) as {
        params: unknown;
      }
    ).params;

  it.each([
    { protocolVersion: 1, authMethods: ['none'] },
    { protocolVersion: 1, agentCapabilities: { modes: true, plan: false } },
  ])('A: has its blocks as content too after the answer %j', (result) => {
    const talk = new DialectHarness();
    talk.result('initialize', result);
    expect(sentParams(talk)).toEqual({ ...params, content: params.prompt });
  });

  it('D: has pictures with a source too', () => {
    const talk = new DialectHarness();
    const source = { type: 'base64', mediaType: 'image/png', data: 'AA' };
    talk.receive(update({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', source } }));
    expect(sentParams(talk)).toEqual({
      ...params,
      prompt: [text('see'), { ...image, source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } }],
    });
  });

  it('is not changed for other agents', () => {
    expect(sentParams(new DialectHarness())).toBe(params);
  });
});
