import { describe, expect, it } from 'vitest';
import {
  chunk,
  DialectHarness,
  notification,
  text,
  update,
  type Wire,
} from '../../../../support/dialects/dialect-harness.ts';
import { violationsOfCall } from '../../../../support/schema.ts';

const thought = (words: string) => ({ sessionUpdate: 'agent_thought_chunk', content: text(words) });
const messageId = 'acp.nvim/message-1';
const entries = [{ content: 'Look', priority: 'high', status: 'pending' }];
const commands = [{ name: 'plan', description: 'Makes a plan' }];

describe('session/update', () => {
  it.each<[rule: string, what: string, params: Wire, updates: readonly Wire[]]>([
    [
      'A: contentChunk, toolCall, plan, currentModeId',
      'contentChunk',
      { sessionId: 's1', contentChunk: { id: 'p1', index: 3, delta: 'hi' } },
      [chunk('hi', { messageId: 'p1', _meta: { 'acp.nvim/index': 3 } })],
    ],
    [
      'A: contentChunk, toolCall, plan, currentModeId',
      'all together, in their order',
      {
        sessionId: 's1',
        currentModeId: 'ask',
        plan: { steps: [{ title: 'Look', status: 'pending' }] },
        toolCall: { toolCallId: 't1', title: 'ls', kind: 'execute', status: 'pending' },
        contentChunk: { id: 'p1', delta: 'hi' },
      },
      [
        chunk('hi', { messageId: 'p1' }),
        { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'ls', kind: 'execute', status: 'pending' },
        {
          sessionUpdate: 'plan',
          entries: [{ content: 'Look', priority: 'medium', status: 'pending' }],
        },
        { sessionUpdate: 'current_mode_update', currentModeId: 'ask' },
      ],
    ],
    [
      'B: update message',
      'several blocks',
      { sessionId: 's1', update: { type: 'message', role: 'agent', content: [text('a'), text('b')] } },
      [chunk('a', { messageId }), chunk('b', { messageId })],
    ],
    [
      'B: update message',
      'of the user',
      { sessionId: 's1', update: { type: 'message', role: 'user', content: [text('a')] } },
      [{ ...chunk('a', { messageId }), sessionUpdate: 'user_message_chunk' }],
    ],
    [
      'B: update message',
      'a thought',
      { sessionId: 's1', update: { type: 'message', role: 'thinking', content: [text('a')] } },
      [{ ...thought('a'), messageId }],
    ],
    [
      'B: update message',
      'of the assistant',
      { sessionId: 's1', update: { type: 'message', role: 'assistant', content: [text('a')] } },
      [chunk('a', { messageId })],
    ],
    [
      'B: update message',
      'a thought by another name',
      { sessionId: 's1', update: { type: 'message', role: 'thought', content: [text('a')] } },
      [{ ...thought('a'), messageId }],
    ],
    [
      'B: update message',
      'with an id',
      { sessionId: 's1', update: { type: 'message', messageId: 'm', content: [text('a')] } },
      [chunk('a', { messageId: 'm' })],
    ],
    [
      'B: update.type',
      'a plan',
      { sessionId: 's1', update: { type: 'plan', entries } },
      [{ sessionUpdate: 'plan', entries }],
    ],
    [
      'B: update.type',
      'commands',
      { sessionId: 's1', update: { type: 'available_commands_update', availableCommands: commands } },
      [{ sessionUpdate: 'available_commands_update', availableCommands: commands }],
    ],
    [
      'B: current_mode_update modeId',
      'with a type',
      { sessionId: 's1', update: { type: 'current_mode_update', modeId: 'code' } },
      [{ sessionUpdate: 'current_mode_update', currentModeId: 'code' }],
    ],
    [
      'B: current_mode_update modeId',
      'canonical otherwise',
      { sessionId: 's1', update: { sessionUpdate: 'current_mode_update', modeId: 'code' } },
      [{ sessionUpdate: 'current_mode_update', currentModeId: 'code' }],
    ],
    [
      'C: externally tagged params',
      'a chunk without a session',
      { agent_message_chunk: { content: text('Working...') } },
      [chunk('Working...')],
    ],
    [
      'C: externally tagged params',
      'a plan',
      { sessionId: 's1', plan: { entries } },
      [{ sessionUpdate: 'plan', entries }],
    ],
    [
      'C: externally tagged update',
      'a tool call',
      { sessionId: 's1', update: { tool_call: { toolCallId: 't1', title: 'ls', status: 'pending' } } },
      [{ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'ls', status: 'pending' }],
    ],
    [
      'C: externally tagged update',
      'an update of one',
      { update: { tool_call_update: { toolCallId: 't1', status: 'in_progress' } } },
      [{ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'in_progress' }],
    ],
    ['C: no sessionId', 'in a canonical one', { update: chunk('hi') }, [chunk('hi')]],
    [
      'E: type and content',
      'thinking',
      { sessionId: 's1', type: 'thinking', content: { text: 'hm' } },
      [thought('hm')],
    ],
    [
      'E: type and content',
      'text',
      { sessionId: 's1', type: 'text', content: { text: 'hi' } },
      [chunk('hi')],
    ],
    ['E: type and content', 'a plain text', { sessionId: 's1', type: 'text', content: 'hi' }, [chunk('hi')]],
    [
      'E: type and content',
      'an error, which does not end the turn',
      { sessionId: 's1', type: 'error', content: { text: 'No network' } },
      [{ sessionUpdate: 'notice', severity: 'error', title: 'No network' }],
    ],
    [
      'E: type and content',
      'an error without text',
      { sessionId: 's1', type: 'error' },
      [{ sessionUpdate: 'notice', severity: 'error', title: 'The agent reports an error.' }],
    ],
    [
      'any: content a plain string',
      'in a chunk',
      { sessionId: 's1', update: { sessionUpdate: 'agent_thought_chunk', content: 'hm' } },
      [thought('hm')],
    ],
    [
      'any: content an array',
      'in a chunk',
      { sessionId: 's1', update: { sessionUpdate: 'agent_message_chunk', content: [text('a'), 'b'] } },
      [chunk('a'), chunk('b')],
    ],
    [
      'any: snake_case keys',
      'in params and update',
      {
        session_id: 's1',
        update: { session_update: 'agent_message_chunk', content: text('a'), message_id: 'm' },
      },
      [chunk('a', { messageId: 'm' })],
    ],
    [
      'any: snake_case keys',
      'in a canonical update',
      { sessionId: 's1', update: chunk('a', { message_id: 'm' }) },
      [chunk('a', { messageId: 'm' })],
    ],
  ])('%s: %s', (rule, _, params, updates) => {
    const talk = new DialectHarness();
    expect(talk.receive(notification('session/update', params))).toEqual(updates.map((one) => update(one)));
    expect(talk.rules).toContain(rule);
    for (const one of updates) {
      expect(violationsOfCall('session/update', { sessionId: 's1', update: one })).toEqual([]);
    }
  });

  it('C: externally tagged update: an update that is not in the schema yet', () => {
    const talk = new DialectHarness();
    const tagged = { sessionId: 's1', update: { plan_removed: { planId: 'p1' } } };
    expect(talk.receive(notification('session/update', tagged))).toEqual([
      update({ sessionUpdate: 'plan_removed', planId: 'p1' }),
    ]);
    expect(talk.rules).toEqual(['C: externally tagged update']);
  });

  it.each([
    ['idle', 'idle'],
    ['running', 'running'],
    ['busy', 'running'],
  ])('E: status %s', (status, state) => {
    const talk = new DialectHarness();
    expect(talk.receive(notification('session/update', { sessionId: 's2', status }))).toEqual([
      notification('_acp.nvim/state', { sessionId: 's2', state }),
    ]);
    expect(talk.rules).toEqual(['E: status idle']);
  });

  it('B: gives every message its own id', () => {
    const talk = new DialectHarness();
    const message = update({ type: 'message', content: [text('a')] });
    expect([...talk.receive(message), ...talk.receive(message)]).toEqual([
      update(chunk('a', { messageId: 'acp.nvim/message-1' })),
      update(chunk('a', { messageId: 'acp.nvim/message-2' })),
    ]);
  });

  it('keeps other fields beside an update', () => {
    const _meta = { trace: 1 };
    const heard = new DialectHarness().receive(
      notification('session/update', { sessionId: 's1', _meta, update: { type: 'plan' } }),
    );
    expect(heard).toEqual([
      notification('session/update', { sessionId: 's1', _meta, update: { sessionUpdate: 'plan' } }),
    ]);
  });

  it.each<[string, unknown]>([
    ['no params', undefined],
    ['no update', { sessionId: 's1' }],
    ['an update of the future', { sessionId: 's1', update: { sessionUpdate: 'hologram', modeId: 'x' } }],
    ['a type of the future', { sessionId: 's1', type: 'hologram', content: {} }],
    ['a state of the future', { sessionId: 's1', status: 'asleep' }],
    ['two tags', { sessionId: 's1', update: { plan: { entries }, tool_call: {} } }],
    ['a chunk without its text', { sessionId: 's1', contentChunk: { id: 'p1' } }],
    ['a tool call without an id', { sessionId: 's1', toolCall: { title: 'ls' } }],
    ['another without one', { sessionId: 's1', type: 'tool_call', content: { toolCall: { name: 'ls' } } }],
    [
      'a tool result without a call id',
      { sessionId: 's1', type: 'tool_result', content: { toolResult: { output: 'x' } } },
    ],
  ])('is not changed: %s', (_, params) => {
    const message = notification('session/update', params);
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });

  it('has no session id if no session is open', () => {
    const message = notification('session/update', { update: chunk('hi') });
    expect(new DialectHarness(null).receive(message)[0]).toBe(message);
  });
});
