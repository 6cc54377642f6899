import { describe, expect } from 'vitest';
import { it } from '../../support/agents/agent-harness.ts';
import { callUpdate, done, permission, speech, titledCall, update } from '../../support/agents/messages.ts';
import { aScenario } from '../../support/agents/session-scenario.ts';
import { processesWith } from '../../support/system/processes.ts';

describe.concurrent('the stdio transport', () => {
  it('TR-1: uses stdin and stdout', async ({ harness }) => {
    const scenario = aScenario(harness);
    await scenario.turn(speech('Heard.'));
    expect(scenario.outline).toEqual(['user: go', 'agent: Heard.']);
    expect(processesWith(harness.marker)).toHaveLength(1);
  });

  it('TR-2: sends one message per line and nothing else', async ({ harness }) => {
    const scenario = aScenario(harness);
    const text = 'one\ntwo\r\nthree\u2028four\u0085five\u0000\ud83d\udc4d';
    const { params } = await scenario.prompt(text);
    expect(params.prompt).toEqual([{ type: 'text', text }]);
    const raw = harness.received;
    expect(raw.endsWith('\n')).toBe(true);
    const lines = raw.slice(0, -1).split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { method: string }).method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
    ]);
  });

  it('TR-3: keeps stderr and shows it when the agent exits', async ({ harness }) => {
    const agent = harness.start('exits-immediately.mjs', '3');
    await expect(agent.ready).rejects.toMatchObject({
      message: 'tester exited with code 3.',
      detail: expect.arrayContaining(['no key']),
    });
    expect(harness.log.lines).toContain('debug tester stderr: no key');
  });

  it('TR-4: ends when stdin closes and when the program exits', async ({ harness }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    const { agent, session } = scenario;
    await session.end();
    expect(agent.isInputClosed).toBe(true);
    expect(processesWith(harness.marker)).toEqual([]);
    const stubborn = harness.start('ignores-sigterm.mjs');
    await stubborn.ready;
    await stubborn.end();
    expect(processesWith(harness.marker)).toEqual([]);
  });
});

describe.concurrent('a response', () => {
  it('ERR-1: is a result or an error, and is sent for requests only', async ({ harness }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    const { agent } = scenario;
    const before = agent.received.length;
    agent.send(
      speech('hello'),
      update('unheard_of'),
      { method: 'session/update', params: [] },
      { method: 'session/update' },
      { method: '_own/thing', params: {} },
      { method: 'unheard/of', params: {} },
      { method: '$/cancel_request', params: { requestId: 99 } },
      { method: '$/cancel_request', params: {} },
      { method: 'session/request_permission', params: {} },
      { method: 'fs/read_text_file', params: { sessionId: 's1', path: '/x' } },
      { id: 999, result: {} },
      { id: 'x', error: { code: 1, message: '' } },
    );
    const requests: [unknown, string, unknown][] = [
      [1, 'session/request_permission', {}],
      ['1', 'session/request_permission', []],
      [2, 'fs/read_text_file', { sessionId: 's1' }],
      [3, 'session/update', {}],
      [4, 'unheard/of', undefined],
      [0, '_own/thing', {}],
      [-5, 'initialize', {}],
    ];
    for (const [id, method, params] of requests) agent.send({ id, method, params });
    for (const [id] of requests) await agent.answerTo(id);
    await agent.waitUntilProcessed();
    const answers = agent.received.slice(before, -1);
    expect(answers.map(({ id }) => id)).toEqual(expect.arrayContaining(requests.map(([id]) => id)));
    expect(answers).toHaveLength(requests.length);
    for (const answer of answers) {
      expect('result' in answer).not.toBe('error' in answer);
      expect(answer).not.toHaveProperty('method');
    }
  });

  it('ERR-2: to a prompt is not an error because a tool failed', async ({ harness }) => {
    const scenario = aScenario(harness);
    await scenario.turn(
      titledCall('c1', { status: 'in_progress' }),
      callUpdate('c1', { status: 'failed', rawOutput: { error: 'no such file' } }),
      speech('That did not work.'),
    );
    expect(scenario.outline).toEqual(['user: go', 'c1: failed', 'agent: That did not work.']);
    expect(scenario.returned).toEqual([]);
  });
});

describe.concurrent('extension methods', () => {
  it('EXT-1: without a handler are answered with an error, and notifications are ignored', async ({
    harness,
  }) => {
    const scenario = aScenario(harness);
    const { agent } = scenario;
    const prompt = await scenario.prompt();
    agent.send({ method: '_vendor/news', params: { x: 1 } }, { method: '_', params: {} });
    for (const id of ['a-text', 42, 0]) {
      expect(await agent.request('_vendor/thing', { sessionId: 's1' }, id)).toMatchObject({
        id,
        error: { code: -32601 },
      });
    }
    agent.send(permission(7), { id: prompt.id, result: done });
    await scenario.phase('idle');
    expect(scenario.outline.slice(0, 2)).toEqual(['user: go', 'Do it: cancelled']);
  });

  it.for([true, false])('EXT-2: are advertised if there are any: %s', async (hasAny, { harness }) => {
    const offer = { requests: ['_my/request'], notifications: ['_my/news'] };
    harness.extensions = {
      offer: hasAny ? offer : undefined,
      serves: (method) => hasAny && method === '_my/request',
      request: async ({ params }) => ({ echo: params }),
      notify: () => undefined,
    };
    const scenario = aScenario(harness);
    await scenario.begin();
    const { agent } = scenario;
    const { _meta } = agent.received[0]!.params.clientCapabilities as { _meta?: Record<string, unknown> };
    expect(_meta?.['acp.nvim/extensions']).toEqual(hasAny ? offer : undefined);
    const answer = await agent.request('_my/request', { x: 1 });
    if (hasAny) expect(answer.result).toEqual({ echo: { x: 1 } });
    else expect(answer.error?.code).toBe(-32601);
  });
});
