import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { converse, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const fixture = path.resolve(import.meta.dirname, '../fixtures/agents/commands.mjs');
const config = `{ agents = { speaking = { command = { 'node', '${fixture}' } } } }`;

/** A chat with an agent that sends the requests and notifications of the prompt, after running some Lua. */
async function open(start: Parameters<typeof startChat>[0], lua = ''): Promise<TestNvim> {
  return startChat(start, { config, agent: 'speaking', init: lua, columns: 160 });
}

async function said(nvim: TestNvim, word: string, method: string, params: unknown = {}): Promise<string> {
  await converse(nvim, `${word} ${JSON.stringify([method, params])}`);
  return (await transcript(nvim)).join('\n').replaceAll('\n', '');
}

const onRequest = (body: string, options = '{}') =>
  `require('acp').on_request('_vendor/ask', function(params, context, respond) ${body} end, ${options})`;

describe('on_request', () => {
  it.for<[string, string, string]>([
    ['a table', onRequest('return { sum = params.a + params.b }'), '"result":{"sum":3}'],
    ['nothing', onRequest(''), '"result":null'],
    ['an empty table', onRequest('return {}'), '"result":{}'],
    [
      'what it is about',
      onRequest('return context'),
      '"result":{"agent":"speaking","chat":1,"cancelled":false,"session":"s1"}',
    ],
    ['an error', onRequest("error('no luck')"), '"error":{"code":-32603,"message":"no luck"}'],
    [
      'an error of its own',
      onRequest("return nil, 'no luck'"),
      '"error":{"code":-32603,"message":"no luck"}',
    ],
    [
      'a function',
      onRequest('return { run = print }'),
      '-32603,"message":"the result of the handler cannot be encoded as JSON"',
    ],
    [
      'something later',
      onRequest('vim.defer_fn(function() respond({ late = true }); respond({}) end, 5)', '{ async = true }'),
      '"result":{"late":true}',
    ],
    [
      'an error later',
      onRequest("vim.schedule(function() respond(nil, 'no luck') end)", '{ async = true }'),
      '-32603,"message":"no luck"',
    ],
    [
      'never',
      onRequest('', '{ async = true, timeout = 50 }'),
      '-32603,"message":"_vendor/ask was not answered within 0.05 s"',
    ],
    ['nobody', '', '"error":{"code":-32601'],
    [
      'nobody any more',
      `${onRequest('return {}')} require('acp').on_request('_vendor/ask', nil)`,
      '"error":{"code":-32601',
    ],
  ])('answers with %s', async ([, lua, expected], { start }) => {
    const nvim = await open(start, lua);
    const text = await said(nvim, 'call', '_vendor/ask', { a: 1, b: 2 });
    const found = expected.includes('"agent"') ? sorted(text) : text;
    expect(found).toContain(expected.includes('"agent"') ? sorted(expected) : expected);
  });

  it('notifies the user of a failed handler, with its position', async ({ start }) => {
    const nvim = await open(start, onRequest("error('no luck')"));
    await said(nvim, 'call', '_vendor/ask');
    expect(await nvim.messages()).toMatch(/the handler of "_vendor\/ask" failed: .*:\d+: no luck/);
  });

  it('can be called after the agent started, and its handler learns of a cancellation', async ({ start }) => {
    const nvim = await open(start);
    await nvim.lua(onRequest('acp_context = context', '{ async = true, timeout = 60000 }'));
    await nvim.command('AcpSend call ["_vendor/ask",{}]');
    await nvim.waitFor(() => nvim.lua<boolean>('return acp_context ~= nil'), 'the request');
    expect(await nvim.lua('return acp_context.cancelled')).toBe(false);
    await nvim.command('AcpRestart!');
    await waitForPhase(nvim, 'idle');
    expect(await nvim.lua('return acp_context.cancelled')).toBe(true);
  });

  it('also reaches a restarted host', async ({ start }) => {
    const nvim = await start({ init: `vim.g.acp = ${config} ${onRequest('return { fine = true }')}` });
    await nvim.command('AcpChat speaking');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpRestart!');
    await waitForPhase(nvim, 'idle');
    expect(await said(nvim, 'call', '_vendor/ask')).toContain('"result":{"fine":true}');
  });

  it.for<[string, string]>([
    ["'session/update', print", '"session/update" is part of the protocol and answered by the plugin'],
    ["'$/anything', print", '"$/anything" is part of the protocol'],
    ["'_acp.nvim/auth_complete', print", 'is part of the protocol'],
    ["'', print", 'a method is a name such as "_vendor/method"'],
    ["'_x', 5", 'the handler of "_x" must be a function, not 5'],
    ["'_x', print, { timeout = 'soon' }", 'timeout is "soon"; expected a number'],
  ])('refuses %s', async ([args, message], { nvim }) => {
    await expect(nvim.lua(`require('acp').on_request(${args})`)).rejects.toThrow(message);
  });

  it('lists all methods of the protocol as reserved', async ({ nvim }) => {
    const known = await nvim.lua<string[]>("return require('acp.extensions').protocol");
    expect(methodsOfSchema().filter((method) => !known.includes(method))).toEqual([]);
  });
});

describe('on_notification', () => {
  it('runs the handler for notifications of agents, and survives its errors', async ({ start }) => {
    const nvim = await open(
      start,
      `require('acp').on_notification('_vendor/event', function(params, context)
        acp_heard = { params, context.agent }
        error('oh')
      end)`,
    );
    await said(nvim, 'tell', '_vendor/unknown');
    await said(nvim, 'tell', '_vendor/event', { deep: { _meta: { a: 1 } } });
    await nvim.waitFor(() => nvim.lua<boolean>('return acp_heard ~= nil'), 'the event');
    expect(await nvim.lua('return acp_heard')).toEqual([{ deep: { _meta: { a: 1 } } }, 'speaking']);
    expect(await nvim.messages()).toContain('the handler of "_vendor/event" failed');
  });
});

describe('request and notify', () => {
  const ask = (method: string, params = '{}') =>
    `require('acp').request('${method}', ${params}, function(result, err) acp_answer = { result = result, err = err } end)`;

  it.for<[string, string, string, object]>([
    ['a result', '_fixture/echo', '{ list = { 1 } }', { result: { list: [1] } }],
    [
      'the session to ask about',
      '_fixture/echo',
      'function(context) return context end',
      { result: { agent: 'speaking', chat: 1, session: 's1' } },
    ],
    [
      'an error',
      '_fixture/fail',
      '{}',
      { err: { code: -32099, message: 'never', data: { why: 'because' } } },
    ],
  ])('get %s', async ([, method, params, expected], { start }) => {
    const nvim = await open(start);
    await nvim.lua(ask(method, params));
    expect(await nvim.waitFor(() => nvim.lua<object | null>('return acp_answer'), 'the answer')).toEqual(
      expected,
    );
  });

  it('reach the agent', async ({ start }) => {
    const nvim = await open(start);
    await nvim.lua("require('acp').notify('_fixture/event', { told = true })");
    await nvim.waitForScreen('{"told":true}');
  });

  it('report that there is no chat', async ({ nvim }) => {
    await nvim.lua(ask('_fixture/echo'));
    expect(await nvim.waitFor(() => nvim.lua('return acp_answer'), 'the answer')).toEqual({
      err: { message: 'there is no chat yet; :AcpChat opens one' },
    });
  });

  it('accept only methods that begin with an underscore', async ({ nvim }) => {
    await expect(nvim.lua(ask('session/prompt'))).rejects.toThrow('begins with "_", not "session/prompt"');
  });
});

function sorted(text: string): string {
  return [...text.matchAll(/"(?:agent|chat|cancelled|session)":[^,}]+/g)]
    .map(([field]) => field)
    .sort()
    .join();
}

function methodsOfSchema(): readonly string[] {
  const entry = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk');
  const folder = path.resolve(path.dirname(entry), '../../../schema');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  );
  const texts = files.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(/"x-method": "([^$][^"]*)"/g)].map(([, name = '']) => name),
  );
}
