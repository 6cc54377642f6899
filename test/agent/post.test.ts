import { describe, expect } from 'vitest';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { it, SinkDouble } from '../support/agent-it.ts';
import { complaintsAboutClient } from '../support/client-schema.ts';
import type { WireMessage } from '../support/piped-connection.ts';
import { waitFor } from '../support/wait.ts';
import { bodyOf, startWebServer } from '../support/web-server.ts';

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
}

/** A server that answers POSTs of JSON-RPC, and keeps what it was sent. */
async function servePosts(methods: Record<string, (params: never) => Answer | Promise<Answer>>) {
  const sent: WireMessage[] = [];
  const cookies: (string | undefined)[] = [];
  const all = {
    initialize: () => ({ body: { result: { protocolVersion: 1 } } }),
    'session/new': () => ({ body: { result: { sessionId: 's1' } } }),
    ...methods,
  } as Record<string, (params: unknown) => Answer | Promise<Answer>>;
  const { server, host } = await startWebServer(async (request, response) => {
    const message = JSON.parse(await bodyOf(request)) as WireMessage;
    sent.push(message);
    cookies.push(request.headers.cookie);
    const { status = 200, body } = (await all[message.method ?? '']?.(message.params)) ?? { status: 202 };
    const text = typeof body === 'object' ? JSON.stringify(answerTo(message.id, body)) : String(body ?? '');
    response.writeHead(status, { 'Set-Cookie': `n=${sent.length}` }).end(text);
  });
  const url = `http://${host}/rpc`;
  const spec: AgentSpec = { name: 'tester', command: [], env: {}, cwd: '/work', transport: 'post', url };
  return { server, sent, cookies, spec };
}

function answerTo(id: unknown, body: object | null): unknown {
  return Array.isArray(body) ? body.map((part) => answerTo(id, part)) : { jsonrpc: '2.0', id, ...body };
}

const chunk = {
  id: undefined,
  method: 'session/update',
  params: {
    sessionId: 's1',
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hi' } },
  },
};

describe('an agent that is posted to', () => {
  it('answers in the body, several messages if it likes', async ({ workshop }) => {
    const { spec, sent, cookies } = await servePosts({
      'session/prompt': () => ({ body: [chunk, { result: { stopReason: 'end_turn' } }] }),
    });
    const agent = workshop.launch(spec);
    const sink = new SinkDouble();
    await agent.ready;
    const sessionId = await agent.openSession({ how: 'new', cwd: '/work' }, sink);
    expect(await agent.prompt(sessionId, 'hello')).toBe('end_turn');
    expect(sink.text).toBe('hi');
    expect(complaintsAboutClient(sent, [])).toEqual([]);
    expect(cookies).toEqual([undefined, 'n=1', 'n=2']);
  });

  it('is offered nothing that it would have to ask for', async ({ workshop }) => {
    const { spec, sent } = await servePosts({});
    await workshop.launch(spec).ready;
    const [hello] = sent.map(({ params }) => params as { clientCapabilities: object });
    for (const service of ['fs', 'terminal', 'auth'])
      expect(hello?.clientCapabilities).not.toHaveProperty(service);
  });

  it('is told of a cancel while its answer is waited for', async ({ workshop }) => {
    let cancel = () => {};
    const cancelled = new Promise<void>((resolve) => {
      cancel = resolve;
    });
    const { spec, sent } = await servePosts({
      'session/prompt': async () => {
        await cancelled;
        return { body: { result: { stopReason: 'cancelled' } } };
      },
      'session/cancel': () => {
        cancel();
        return { status: 204 };
      },
    });
    const agent = workshop.launch(spec);
    await agent.ready;
    const sessionId = await agent.openSession({ how: 'new', cwd: '/work' }, new SinkDouble());
    const turn = agent.prompt(sessionId, 'hello');
    await waitFor(() => sent.some(({ method }) => method === 'session/prompt'));
    agent.cancel(sessionId);
    expect(await turn).toBe('cancelled');
  });

  it.for<[string, Answer, string]>([
    [
      'an error in the body',
      { status: 500, body: { error: { code: -32603, message: 'no luck' } } },
      'tester reports an error: no luck',
    ],
    [
      'a failure',
      { status: 502, body: 'Bad gateway' },
      'tester reports an error: the server answered 502 without a result',
    ],
    ['nothing', { status: 202 }, 'tester reports an error: the server answered 202 without a result'],
  ])('fails one request with %s, and works on', async ([, answer, message], { workshop }) => {
    const answers = [answer, { body: { result: { stopReason: 'end_turn' } } }];
    const { spec } = await servePosts({ 'session/prompt': () => answers.shift()! });
    const agent = workshop.launch(spec);
    await agent.ready;
    const sessionId = await agent.openSession({ how: 'new', cwd: '/work' }, new SinkDouble());
    await expect(agent.prompt(sessionId, 'one')).rejects.toMatchObject({ message });
    expect(await agent.prompt(sessionId, 'two')).toBe('end_turn');
  });

  it('that is not there any more has closed the connection', async ({ workshop }) => {
    const { spec, server } = await servePosts({ 'session/prompt': () => new Promise(() => undefined) });
    const agent = workshop.launch(spec);
    await agent.ready;
    const sessionId = await agent.openSession({ how: 'new', cwd: '/work' }, new SinkDouble());
    const turn = agent.prompt(sessionId, 'hello');
    turn.catch(() => undefined);
    server.close();
    server.closeAllConnections();
    await expect(turn).rejects.toMatchObject({
      code: 'agent_exited',
      message: 'tester closed the connection.',
      hint: ':AcpRestart connects again.',
    });
  });

  it('whose credentials run out says so', async ({ workshop }) => {
    const { spec } = await servePosts({ 'session/new': () => ({ status: 401 }) });
    const agent = workshop.launch(spec);
    await agent.ready;
    await expect(agent.openSession({ how: 'new', cwd: '/work' }, new SinkDouble())).rejects.toMatchObject({
      code: 'agent_exited',
      message: expect.stringMatching(/refused the credentials \(401\)\.$/),
    });
  });
});
