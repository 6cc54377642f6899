import { describe, expect } from 'vitest';
import { version } from '../../../src/base/version.ts';
import { commands } from '../../../src/tour/commands.ts';
import { parsePace, splitIntoChunks } from '../../../src/tour/timing.ts';
import { violationsOfCall, violationsOfResult } from '../../support/schema.ts';
import { it } from '../../support/tour/it.ts';

const badParams = -32602;

describe('starting the tour', () => {
  it('reports its name, its version and its capabilities', async ({ start }) => {
    const { result } = await start().request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    expect(result).toEqual({
      protocolVersion: 1,
      agentInfo: { name: 'tour', title: 'Tour', version },
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, title: {} },
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
      },
      authMethods: [],
      _meta: { steering: { supported: true } },
    });
  });

  it('opens a session, then sends its commands', async ({ folder, start }) => {
    const client = start();
    await client.open(folder);
    const news = await client.until(({ method }) => method === 'session/update');
    expect(client.received[1]?.result).toMatchObject({
      sessionId: 'tour-1',
      modes: { currentModeId: 'guided' },
    });
    expect(client.received[2]).toBe(news);
    const availableCommands = commands.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint && { input: { hint } }),
    }));
    expect(news.params).toEqual({
      sessionId: 'tour-1',
      update: { sessionUpdate: 'available_commands_update', availableCommands },
    });
  });

  it('opens several sessions', async ({ folder, start }) => {
    const client = start();
    expect(await client.open(folder)).toBe('tour-1');
    const { result } = await client.request('session/new', { cwd: folder, mcpServers: [] });
    expect(result?.sessionId).toBe('tour-2');
  });

  it('opens a session whose mode can be changed', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    expect((await client.request('session/set_mode', { sessionId, modeId: 'brief' })).result).toEqual({});
    expect(client.updates.at(-1)).toEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'brief' });
  });
});

describe('the tour answers with an error', () => {
  it.for([
    ['initialize', { protocolVersion: '1' }, 'protocolVersion'],
    ['initialize', undefined, 'params'],
    ['initialize', [1], 'params'],
    ['session/new', { cwd: 'relative', mcpServers: [] }, 'cwd'],
    ['session/new', { cwd: '/' }, 'mcpServers'],
    ['session/prompt', { prompt: [] }, 'sessionId'],
    ['session/prompt', { sessionId: 'tour-1', prompt: 'hello' }, 'prompt'],
    ['session/set_mode', { sessionId: 'tour-1', modeId: 'yolo' }, 'modeId'],
  ] as const)('to %s with %j, naming %s', async ([method, params, field], { folder, start }) => {
    const client = start();
    await client.open(folder);
    const { error } = await client.request(method, params);
    expect(error?.code).toBe(badParams);
    expect(error?.message).toContain(field);
  });

  it.for([
    ['an unknown method', 'session/archive', { sessionId: 'tour-1' }, -32601],
    ['an unknown session', 'session/prompt', { sessionId: 'tour-9', prompt: [] }, -32002],
  ] as const)('to %s', async ([, method, params, code], { folder, start }) => {
    const client = start();
    await client.open(folder);
    expect((await client.request(method, params)).error?.code).toBe(code);
  });

  it('for requests only', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    client.notify('session/cancel', { sessionId: 'tour-9' });
    client.notify('no/such/notification', {});
    expect(await client.prompt(sessionId, 'hello')).toBe('end_turn');
    expect(client.received.filter(({ error }) => error)).toEqual([]);
  });
});

describe('a simulated failure of the tour', () => {
  it('can be an immediate exit', async ({ start }) => {
    const client = start({ env: { ACP_TOUR_START: 'exit' } });
    expect(await client.exited).toBe(3);
    expect(client.stderr).toContain('ACP_TOUR_START=exit');
    expect(client.received).toEqual([]);
  });

  it('can be no answer, and the tour still exits at the end of stdin', async ({ start }) => {
    const client = start({ env: { ACP_TOUR_START: 'hang' } });
    client.send('initialize', { protocolVersion: 1 });
    expect(await client.end()).toBe(0);
    expect(client.received).toEqual([]);
  });

  it('can be an unsupported version', async ({ start }) => {
    const client = start({ env: { ACP_TOUR_START: 'version' } });
    expect((await client.request('initialize', { protocolVersion: 1 })).result?.protocolVersion).toBe(99);
  });
});

describe('the pace of the tour', () => {
  it.for([
    [undefined, 15],
    ['', 15],
    ['fast', 15],
    ['-1', 15],
    ['0', 0],
    ['40', 40],
  ] as const)('of ACP_TOUR_PACE=%s is %d', ([value, ms]) => expect(parsePace(value)).toBe(ms));

  it.for(['', 'one', '  one two three four\n\n  five ', '\n'])(
    'splits %j into chunks without loss',
    (text) => {
      expect(splitIntoChunks(text).join('')).toBe(text);
    },
  );
});

describe('the schema of these tests', () => {
  it('rejects invalid messages', () => {
    const update = { sessionUpdate: 'tool_call', toolCallId: 'a' };
    expect(violationsOfCall('session/update', { sessionId: 'a', update })).not.toEqual([]);
    expect(violationsOfCall('no/such/method', {})).not.toEqual([]);
    expect(
      violationsOfCall('elicitation/create', { sessionId: 'a', message: 'b', mode: 'form' }),
    ).not.toEqual([]);
    expect(violationsOfResult('session/prompt', { stopReason: 'tired' })).not.toEqual([]);
  });
});
