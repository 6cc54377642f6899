import { describe, expect } from 'vitest';
import { LuaExtensions } from '../../src/app/extensions.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { ManualClock } from '../support/doubles/clock.ts';
import { EditorDouble } from '../support/doubles/editor.ts';
import { waitFor } from '../support/wait.ts';

/** An agent, and a Lua side that handles the given extension methods. */
async function open(harness: AgentHarness, fixture = 'commands.mjs') {
  const editor = new EditorDouble();
  const clock = new ManualClock();
  const extensions = new LuaExtensions({ editor, clock, chatOf: () => 7 });
  extensions.setNames({
    requests: new Map([['_vendor/ask', 5_000]]),
    notifications: new Set(['_vendor/event', '_sdk/told']),
  });
  harness.extensions = extensions;
  const opened = await harness.open(fixture);
  const asked = () => waitFor(() => editor.calls.find(({ op }) => op === 'extension.request'));
  return { ...opened, editor, clock, extensions, asked };
}

const call = (word: string, method: string, params: unknown = { a: 1 }) =>
  `${word} ${JSON.stringify([method, params])}`;

describe('an extension request', () => {
  it('is passed to Lua, and the answer of Lua to the agent', async ({ harness }) => {
    const { prompt, sink, extensions, asked } = await open(harness);
    const turn = prompt(call('call', '_vendor/ask', { deep: [{ _meta: { x: null } }], sessionId: 's9' }));
    const { payload, answer } = await asked();
    expect(payload).toEqual({
      id: 1,
      method: '_vendor/ask',
      params: { deep: [{ _meta: { x: null } }], sessionId: 's9' },
      context: { chat: 7, agent: 'tester', session: 's9' },
    });
    answer.resolve(undefined);
    extensions.answer(1, { fine: true }, undefined);
    extensions.answer(1, { again: true }, undefined);
    await turn;
    expect(sink.text).toContain('{"jsonrpc":"2.0","result":{"fine":true}}');
  });

  it.for<[string, unknown, string]>([
    ['nothing', undefined, '"result":null'],
    ['an empty table', [], '"result":{}'],
    ['a text', 'x', '"result":"x"'],
    ['false', false, '"result":false'],
  ])('can be answered with %s', async ([, result, expected], { harness }) => {
    const { prompt, sink, extensions, asked } = await open(harness);
    const turn = prompt(call('call', '_vendor/ask', [1]));
    expect((await asked()).payload).toMatchObject({ params: [1], context: { session: 's1' } });
    extensions.answer(1, result, undefined);
    await turn;
    expect(sink.text).toContain(expected);
  });

  it('is answered with the message of a Lua error', async ({ harness }) => {
    const { prompt, sink, extensions, asked } = await open(harness);
    const turn = prompt(call('call', '_vendor/ask'));
    await asked();
    extensions.answer(1, undefined, 'not today');
    await turn;
    expect(sink.text).toContain('"error":{"code":-32603,"message":"not today"}');
    expect(harness.log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('is answered once if Lua never answers', async ({ harness }) => {
    const { prompt, sink, extensions, asked, clock, editor } = await open(harness);
    const turn = prompt(call('call', '_vendor/ask'));
    await asked();
    clock.advance(5_000);
    await turn;
    expect(sink.text).toContain('-32603,"message":"_vendor/ask was not answered within 5 s"');
    expect(editor.sent).toContainEqual({ op: 'extension.forget', payload: { id: 1 } });
    extensions.answer(1, {}, undefined);
    await prompt('echo still here');
    expect(sink.text).toContain('still here');
    expect(clock.pending).toBe(0);
  });

  it('is answered if Neovim cannot be reached', async ({ harness }) => {
    const { prompt, sink, asked } = await open(harness);
    const turn = prompt(call('call', '_vendor/ask'));
    (await asked()).answer.reject(new Error('Neovim is gone'));
    await turn;
    expect(sink.text).toContain('-32603,"message":"Neovim is gone"');
  });

  it('is answered as cancelled when the agent cancels it', async ({ harness }) => {
    const { prompt, sink, editor, clock } = await open(harness);
    await prompt(call('recall', '_vendor/ask'));
    expect(sink.text).toContain('"error":{"code":-32800');
    expect(editor.sent).toContainEqual({ op: 'extension.forget', payload: { id: 1 } });
    expect(clock.pending).toBe(0);
  });

  it.for(['_vendor/other', 'fs/list_directory', 'session/fly'])(
    'without a handler is rejected: %s',
    async (method, { harness }) => {
      const { prompt, sink, editor } = await open(harness);
      await prompt(call('call', method));
      expect(sink.text).toContain('"error":{"code":-32601');
      expect(editor.calls).toEqual([]);
    },
  );

  it('is forgotten when its agent ends', async ({ harness }) => {
    const { agent, prompt, asked, extensions, clock } = await open(harness);
    const turn = prompt(call('call', '_vendor/ask')).catch(() => undefined);
    await asked();
    await agent.end();
    await turn;
    extensions.answer(1, {}, undefined);
    await waitFor(() => clock.pending === 0);
  });
});

describe('an extension notification', () => {
  it('is passed to Lua if it has a handler, and ignored otherwise', async ({ harness }) => {
    const { prompt, editor } = await open(harness);
    await prompt(call('tell', '_vendor/unknown'));
    await prompt(call('tell', '_vendor/event', { n: 1, _meta: { k: 'v' } }));
    await waitFor(() => editor.sent.length > 0);
    expect(editor.sent).toEqual([
      {
        op: 'extension.notification',
        payload: {
          method: '_vendor/event',
          params: { n: 1, _meta: { k: 'v' } },
          context: { chat: 7, agent: 'tester', session: 's1' },
        },
      },
    ]);
  });
});

describe('an extension message of Lua', () => {
  it.for<[string, string, unknown, object]>([
    ['with a result', '_fixture/echo', { a: [1] }, { id: 4, result: { a: [1] } }],
    ['without params', '_fixture/echo', [], { id: 4, result: {} }],
    [
      'with an error',
      '_fixture/fail',
      {},
      { id: 4, error: { code: -32099, message: 'never', data: { why: 'because' } } },
    ],
    [
      'with an error if the method belongs to the protocol',
      'session/prompt',
      {},
      { id: 4, error: { message: expect.stringContaining('"_"') } },
    ],
    [
      'with an error if it has no params',
      '_fixture/echo',
      5,
      { id: 4, error: { message: expect.stringContaining('table') } },
    ],
  ])('is answered %s', async ([, method, params, expected], { harness }) => {
    const { agent, extensions, editor } = await open(harness);
    extensions.send(() => agent, { id: 4, method, params });
    await waitFor(() => editor.sent.length > 0);
    expect(editor.sent).toEqual([{ op: 'extension.answered', payload: expected }]);
  });

  it('is answered if the agent has exited or never started', async ({ harness }) => {
    const { agent, extensions, editor } = await open(harness);
    await agent.end();
    extensions.send(() => agent, { id: 1, method: '_fixture/echo', params: {} });
    extensions.send(() => undefined, { id: 2, method: '_fixture/echo', params: {} });
    await waitFor(() => editor.sent.length === 2);
    const messages = editor.sent.map(({ payload }) => (payload.error as { message: string }).message);
    expect(messages.toSorted()).toEqual(['Fixture was ended.', 'the agent was not started yet']);
  });

  it('can be a notification', async ({ harness }) => {
    const { agent, sink, extensions } = await open(harness);
    extensions.send(() => agent, { id: undefined, method: '_fixture/event', params: { b: 2 } });
    await waitFor(() => sink.text.includes('{"b":2}'));
  });
});

it('an agent of the official SDK is told the extensions and uses them', async ({ harness }) => {
  const { prompt, extensions, asked, editor } = await open(harness, 'sdk.mjs');
  const turn = prompt('look around');
  expect((await asked()).payload).toMatchObject({ params: { toolCall: { toolCallId: 't1' } } });
  extensions.answer(1, { heard: true }, undefined);
  await turn;
  expect(editor.sent).toMatchObject([{ payload: { method: '_sdk/told', params: { heard: true } } }]);
  expect(harness.sent[0]?.params).toMatchObject({
    clientCapabilities: {
      _meta: {
        'acp.nvim/extensions': { requests: ['_vendor/ask'], notifications: ['_sdk/told', '_vendor/event'] },
      },
    },
  });
});
