import { describe, expect } from 'vitest';
import { LuaExtensions } from '../../src/acp/extensions.ts';
import { it, type Workshop } from '../support/agent-it.ts';
import { EditorDouble, ManualClock } from '../support/doubles.ts';
import { waitFor } from '../support/wait.ts';

/** An agent, and Lua that serves some names, as the test says. */
async function open(workshop: Workshop, fixture = 'speaking.mjs') {
  const editor = new EditorDouble();
  const clock = new ManualClock();
  const extensions = new LuaExtensions({ editor, clock, chatOf: () => 7 });
  extensions.setNames({
    requests: new Map([['_vendor/ask', 5_000]]),
    notifications: new Set(['_vendor/event', '_sdk/told']),
  });
  workshop.extensions = extensions;
  const opened = await workshop.open(fixture);
  const asked = () => waitFor(() => editor.asked.find(({ op }) => op === 'extension.request'));
  return { ...opened, editor, clock, extensions, asked };
}

const call = (word: string, method: string, params: unknown = { a: 1 }) =>
  `${word} ${JSON.stringify([method, params])}`;

describe('a request beyond the protocol', () => {
  it('is handed to Lua whole, and its answer to the agent', async ({ workshop }) => {
    const { prompt, sink, extensions, asked } = await open(workshop);
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
  ])('may be answered with %s', async ([, result, expected], { workshop }) => {
    const { prompt, sink, extensions, asked } = await open(workshop);
    const turn = prompt(call('call', '_vendor/ask', [1]));
    expect((await asked()).payload).toMatchObject({ params: [1], context: { session: 's1' } });
    extensions.answer(1, result, undefined);
    await turn;
    expect(sink.text).toContain(expected);
  });

  it('is answered with the message of an error', async ({ workshop }) => {
    const { prompt, sink, extensions, asked } = await open(workshop);
    const turn = prompt(call('call', '_vendor/ask'));
    await asked();
    extensions.answer(1, undefined, 'not today');
    await turn;
    expect(sink.text).toContain('"error":{"code":-32603,"message":"not today"}');
    expect(workshop.log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('is answered when Lua never does, once', async ({ workshop }) => {
    const { prompt, sink, extensions, asked, clock, editor } = await open(workshop);
    const turn = prompt(call('call', '_vendor/ask'));
    await asked();
    clock.advance(5_000);
    await turn;
    expect(sink.text).toContain('-32603,"message":"_vendor/ask was not answered within 5 s"');
    expect(editor.told).toContainEqual({ op: 'extension.forget', payload: { id: 1 } });
    extensions.answer(1, {}, undefined);
    await prompt('echo still here');
    expect(sink.text).toContain('still here');
    expect(clock.pending).toBe(0);
  });

  it('is answered when Neovim can not be reached', async ({ workshop }) => {
    const { prompt, sink, asked } = await open(workshop);
    const turn = prompt(call('call', '_vendor/ask'));
    (await asked()).answer.reject(new Error('Neovim is gone'));
    await turn;
    expect(sink.text).toContain('-32603,"message":"Neovim is gone"');
  });

  it('is answered as cancelled when the agent takes it back', async ({ workshop }) => {
    const { prompt, sink, editor, clock } = await open(workshop);
    await prompt(call('recall', '_vendor/ask'));
    expect(sink.text).toContain('"error":{"code":-32800');
    expect(editor.told).toContainEqual({ op: 'extension.forget', payload: { id: 1 } });
    expect(clock.pending).toBe(0);
  });

  it.for(['_vendor/other', 'fs/list_directory', 'session/fly'])(
    'that nobody serves is refused: %s',
    async (method, { workshop }) => {
      const { prompt, sink, editor } = await open(workshop);
      await prompt(call('call', method));
      expect(sink.text).toContain('"error":{"code":-32601');
      expect(editor.asked).toEqual([]);
    },
  );

  it('is forgotten with its agent', async ({ workshop }) => {
    const { agent, prompt, asked, extensions, clock } = await open(workshop);
    const turn = prompt(call('call', '_vendor/ask')).catch(() => undefined);
    await asked();
    await agent.end();
    await turn;
    extensions.answer(1, {}, undefined);
    await waitFor(() => clock.pending === 0);
  });
});

describe('a notification beyond the protocol', () => {
  it('is told to Lua if it is known, and ignored otherwise', async ({ workshop }) => {
    const { prompt, editor } = await open(workshop);
    await prompt(call('tell', '_vendor/unknown'));
    await prompt(call('tell', '_vendor/event', { n: 1, _meta: { k: 'v' } }));
    await waitFor(() => editor.told.length > 0);
    expect(editor.told).toEqual([
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

describe('what Lua says beyond the protocol', () => {
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
      'not, when it is of the protocol',
      'session/prompt',
      {},
      { id: 4, error: { message: expect.stringContaining('"_"') } },
    ],
    [
      'not, when it has no params',
      '_fixture/echo',
      5,
      { id: 4, error: { message: expect.stringContaining('table') } },
    ],
  ])('is answered %s', async ([, method, params, expected], { workshop }) => {
    const { agent, extensions, editor } = await open(workshop);
    extensions.send(() => agent, { id: 4, method, params });
    await waitFor(() => editor.told.length > 0);
    expect(editor.told).toEqual([{ op: 'extension.answered', payload: expected }]);
  });

  it('is answered when the agent has gone, or never came', async ({ workshop }) => {
    const { agent, extensions, editor } = await open(workshop);
    await agent.end();
    extensions.send(() => agent, { id: 1, method: '_fixture/echo', params: {} });
    extensions.send(() => undefined, { id: 2, method: '_fixture/echo', params: {} });
    await waitFor(() => editor.told.length === 2);
    const messages = editor.told.map(({ payload }) => (payload.error as { message: string }).message);
    expect(messages.toSorted()).toEqual(['no agent was started yet', 'tester was ended.']);
  });

  it('may want no answer', async ({ workshop }) => {
    const { agent, sink, extensions } = await open(workshop);
    extensions.send(() => agent, { id: undefined, method: '_fixture/event', params: { b: 2 } });
    await waitFor(() => sink.text.includes('{"b":2}'));
  });
});

it('an agent made of the official SDK is told what there is, and uses it', async ({ workshop }) => {
  const { prompt, extensions, asked, editor } = await open(workshop, 'sdk.mjs');
  const turn = prompt('look around');
  expect((await asked()).payload).toMatchObject({ params: { toolCall: { toolCallId: 't1' } } });
  extensions.answer(1, { heard: true }, undefined);
  await turn;
  expect(editor.told).toMatchObject([{ payload: { method: '_sdk/told', params: { heard: true } } }]);
  expect(workshop.sent[0]?.params).toMatchObject({
    clientCapabilities: {
      _meta: {
        'acp.nvim/extensions': { requests: ['_vendor/ask'], notifications: ['_sdk/told', '_vendor/event'] },
      },
    },
  });
});
