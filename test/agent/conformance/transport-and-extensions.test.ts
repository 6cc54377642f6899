import { describe, expect } from 'vitest';
import { it } from '../../support/agent-it.ts';
import { call, meet, permission, speech } from '../../support/encounter.ts';
import { processesWith } from '../../support/processes.ts';
import { callUpdate, done, update } from '../../support/stage.ts';

describe.concurrent('the way to an agent', () => {
  it('TR-1: is its standard input and output', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await encounter.turn(speech('Heard.'));
    expect(encounter.outline).toEqual(['user: go', 'agent: Heard.']);
    expect(processesWith(workshop.marker)).toHaveLength(1);
  });

  it('TR-2: carries one message a line, and nothing else', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const text = 'one\ntwo\r\nthree\u2028four\u0085five\u0000\ud83d\udc4d';
    const { params } = await encounter.prompt(text);
    expect(params.prompt).toEqual([{ type: 'text', text }]);
    const raw = workshop.received;
    expect(raw.endsWith('\n')).toBe(true);
    const lines = raw.slice(0, -1).split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { method: string }).method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
    ]);
  });

  it('TR-3: keeps what it writes to its standard error, and tells it when it dies', async ({ workshop }) => {
    const agent = workshop.start('dying.mjs', '3');
    await expect(agent.ready).rejects.toMatchObject({
      message: 'tester exited with code 3.',
      detail: expect.arrayContaining(['no key']),
    });
    expect(workshop.log.lines).toContain('debug tester stderr: no key');
  });

  it('TR-4: ends with the end of its input, and with the program', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await encounter.begin();
    const { agent, session } = encounter;
    await session.end();
    expect(agent.isLeft).toBe(true);
    expect(processesWith(workshop.marker)).toEqual([]);
    const stubborn = workshop.start('stubborn.mjs');
    await stubborn.ready;
    await stubborn.end();
    expect(processesWith(workshop.marker)).toEqual([]);
  });
});

describe.concurrent('an answer', () => {
  it('ERR-1: is a result or an error, and only requests get one', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await encounter.begin();
    const { agent } = encounter;
    const before = agent.heard.length;
    agent.say(
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
    for (const [id, method, params] of requests) agent.say({ id, method, params });
    for (const [id] of requests) await agent.answerTo(id);
    await agent.isUnderstood();
    const answers = agent.heard.slice(before, -1);
    expect(answers.map(({ id }) => id)).toEqual(expect.arrayContaining(requests.map(([id]) => id)));
    expect(answers).toHaveLength(requests.length);
    for (const answer of answers) {
      expect('result' in answer).not.toBe('error' in answer);
      expect(answer).not.toHaveProperty('method');
    }
  });

  it('ERR-2: to a prompt is no failure because a tool failed', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await encounter.turn(
      call('c1', { status: 'in_progress' }),
      callUpdate('c1', { status: 'failed', rawOutput: { error: 'no such file' } }),
      speech('That did not work.'),
    );
    expect(encounter.outline).toEqual(['user: go', 'c1: failed', 'agent: That did not work.']);
    expect(encounter.returned).toEqual([]);
  });
});

describe.concurrent('methods beyond the protocol', () => {
  it('EXT-1: are answered that there are none, and what is told is passed over', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const { agent } = encounter;
    const prompt = await encounter.prompt();
    agent.say({ method: '_vendor/news', params: { x: 1 } }, { method: '_', params: {} });
    for (const id of ['a-text', 42, 0]) {
      expect(await agent.ask('_vendor/thing', { sessionId: 's1' }, id)).toMatchObject({
        id,
        error: { code: -32601 },
      });
    }
    agent.say(permission(7), { id: prompt.id, result: done });
    await encounter.phase('idle');
    expect(encounter.outline.slice(0, 2)).toEqual(['user: go', 'Do it: cancelled']);
  });

  it.for([true, false])('EXT-2: are advertised where there are any: %s', async (hasAny, { workshop }) => {
    const offer = { requests: ['_my/request'], notifications: ['_my/news'] };
    workshop.extensions = {
      offer: hasAny ? offer : undefined,
      serves: (method) => hasAny && method === '_my/request',
      request: async ({ params }) => ({ echo: params }),
      notify: () => undefined,
    };
    const encounter = await meet(workshop);
    await encounter.begin();
    const { agent } = encounter;
    const { _meta } = agent.heard[0]!.params.clientCapabilities as { _meta?: Record<string, unknown> };
    expect(_meta?.['acp.nvim/extensions']).toEqual(hasAny ? offer : undefined);
    const answer = await agent.ask('_my/request', { x: 1 });
    if (hasAny) expect(answer.result).toEqual({ echo: { x: 1 } });
    else expect(answer.error?.code).toBe(-32601);
  });
});
