import { describe, expect } from 'vitest';
import { chunksOf, paceFrom } from '../../src/tour/pace.ts';
import { words } from '../../src/tour/words.ts';
import { version } from '../../src/version.ts';
import { complaintsAboutCall, complaintsAboutResult } from '../support/acp-schema.ts';
import { it } from '../support/tour-it.ts';

const badParams = -32602;

describe('the tour starts', () => {
  it('with its name, its version and what it can do', async ({ start }) => {
    const { result } = await start().request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    expect(result).toEqual({
      protocolVersion: 1,
      agentInfo: { name: 'tour', title: 'Tour', version },
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        promptCapabilities: { embeddedContext: true },
      },
      authMethods: [],
    });
  });

  it('a session, then tells its commands', async ({ folder, start }) => {
    const client = start();
    await client.open(folder);
    const news = await client.until(({ method }) => method === 'session/update');
    expect(client.received[1]?.result).toMatchObject({
      sessionId: 'tour-1',
      modes: { currentModeId: 'guided' },
    });
    expect(client.received[2]).toBe(news);
    const commands = words.map(({ name, about, hint }) => ({
      name,
      description: about,
      ...(hint && { input: { hint } }),
    }));
    expect(news.params).toEqual({
      sessionId: 'tour-1',
      update: { sessionUpdate: 'available_commands_update', availableCommands: commands },
    });
  });

  it('as many sessions as are asked for', async ({ folder, start }) => {
    const client = start();
    expect(await client.open(folder)).toBe('tour-1');
    const { result } = await client.request('session/new', { cwd: folder, mcpServers: [] });
    expect(result?.sessionId).toBe('tour-2');
  });

  it('in a mode that can be changed', async ({ folder, start }) => {
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
    ['an unknown method', 'session/fork', { sessionId: 'tour-1' }, -32601],
    ['an unknown session', 'session/prompt', { sessionId: 'tour-9', prompt: [] }, -32002],
  ] as const)('to %s', async ([, method, params, code], { folder, start }) => {
    const client = start();
    await client.open(folder);
    expect((await client.request(method, params)).error?.code).toBe(code);
  });

  it('to nothing that is no request', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    client.notify('session/cancel', { sessionId: 'tour-9' });
    client.notify('no/such/notification', {});
    expect(await client.prompt(sessionId, 'hello')).toBe('end_turn');
    expect(client.received.filter(({ error }) => error)).toEqual([]);
  });
});

describe('the tour starts badly', () => {
  it('by leaving at once', async ({ start }) => {
    const client = start({ env: { ACP_TOUR_START: 'exit' } });
    expect(await client.exited).toBe(3);
    expect(client.stderr).toContain('ACP_TOUR_START=exit');
    expect(client.received).toEqual([]);
  });

  it('by never answering, and still ends with its input', async ({ start }) => {
    const client = start({ env: { ACP_TOUR_START: 'hang' } });
    client.send('initialize', { protocolVersion: 1 });
    expect(await client.end()).toBe(0);
    expect(client.received).toEqual([]);
  });

  it('by speaking another version', async ({ start }) => {
    const client = start({ env: { ACP_TOUR_START: 'version' } });
    expect((await client.request('initialize', { protocolVersion: 1 })).result?.protocolVersion).toBe(99);
  });
});

describe('the pace', () => {
  it.for([
    [undefined, 15],
    ['', 15],
    ['fast', 15],
    ['-1', 15],
    ['0', 0],
    ['40', 40],
  ] as const)('of ACP_TOUR_PACE=%s is %d', ([value, ms]) => expect(paceFrom(value)).toBe(ms));

  it.for(['', 'one', '  one two three four\n\n  five ', '\n'])('cuts %j without loss', (text) => {
    expect(chunksOf(text).join('')).toBe(text);
  });
});

describe('the schema these tests hold messages against', () => {
  it('notices faults', () => {
    const update = { sessionUpdate: 'tool_call', toolCallId: 'a' };
    expect(complaintsAboutCall('session/update', { sessionId: 'a', update })).not.toEqual([]);
    expect(complaintsAboutCall('no/such/method', {})).not.toEqual([]);
    expect(
      complaintsAboutCall('elicitation/create', { sessionId: 'a', message: 'b', mode: 'form' }),
    ).not.toEqual([]);
    expect(complaintsAboutResult('session/prompt', { stopReason: 'tired' })).not.toEqual([]);
  });
});
