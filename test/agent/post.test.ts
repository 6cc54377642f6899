import type { Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import type { Message } from 'vscode-jsonrpc';
import { CookieJars } from '../../src/acp/transports/remote/http-client.ts';
import { PostTransport } from '../../src/acp/transports/remote/post.ts';
import { textPrompt } from '../../src/model/prompt.ts';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { it } from '../support/agents/agent-harness.ts';
import type { WireMessage } from '../support/agents/piped-connection.ts';
import { SinkDouble } from '../support/doubles/sink.ts';
import { violationsOfClient } from '../support/schema.ts';
import { bodyOf, startWebServer } from '../support/system/web-server.ts';
import { waitFor } from '../support/wait.ts';

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
}

const unreached: AgentSpec = { name: 'tester', command: [], env: {}, cwd: '/work', transport: 'post' };

/** A server that answers JSON-RPC POSTs and records them. */
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
  const spec: AgentSpec = { ...unreached, url };
  return { server, sent, cookies, spec };
}

function answerTo(id: unknown, body: object | null): unknown {
  return Array.isArray(body) ? body.map((part) => answerTo(id, part)) : { jsonrpc: '2.0', id, ...body };
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

const chunk = {
  id: undefined,
  method: 'session/update',
  params: {
    sessionId: 's1',
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hi' } },
  },
};

describe('an agent behind POST', () => {
  it('answers in the body, with several messages if it wants', async ({ harness }) => {
    const { spec, sent, cookies } = await servePosts({
      'session/prompt': () => ({ body: [chunk, { result: { stopReason: 'end_turn' } }] }),
    });
    const agent = harness.launch(spec);
    const sink = new SinkDouble();
    await agent.ready;
    const sessionId = await agent.openSession({ method: 'new', cwd: '/work' }, sink);
    expect(await agent.prompt(sessionId, textPrompt('hello'))).toBe('end_turn');
    expect(sink.text).toBe('hi');
    expect(violationsOfClient(sent, [])).toEqual([]);
    expect(cookies).toEqual([undefined, 'n=1', 'n=2']);
  });

  it('is offered no methods that need requests to us', async ({ harness }) => {
    const { spec, sent } = await servePosts({});
    await harness.launch(spec).ready;
    const [hello] = sent.map(({ params }) => params as { clientCapabilities: object });
    for (const service of ['fs', 'terminal', 'auth'])
      expect(hello?.clientCapabilities).not.toHaveProperty(service);
  });

  it('receives a cancel while its response is pending', async ({ harness }) => {
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
    const agent = harness.launch(spec);
    await agent.ready;
    const sessionId = await agent.openSession({ method: 'new', cwd: '/work' }, new SinkDouble());
    const turn = agent.prompt(sessionId, textPrompt('hello'));
    await waitFor(() => sent.some(({ method }) => method === 'session/prompt'));
    agent.cancel(sessionId);
    expect(await turn).toBe('cancelled');
  });

  it('waits for an answer as long as the server says that it is working', async ({ harness }) => {
    let told = 0;
    const { host } = await startWebServer((_, response) => {
      const telling = setInterval(() => {
        response.writeProcessing();
        told += 1;
        if (told < 20) return;
        clearInterval(telling);
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }));
      }, 10);
    });
    const limits = { headMs: 50 };
    const spec = { ...unreached, url: `http://${host}/` };
    const transport = new PostTransport(spec, harness.log, new CookieJars(), limits);
    const received: unknown[] = [];
    transport.reader.listen((message) => received.push(message));
    await transport.writer.write({ jsonrpc: '2.0', id: 1, method: 'initialize' } as never);
    await waitFor(() => received.length === 1);
    await transport.end();
  });

  it('has no open requests after its end', async ({ harness }) => {
    const { spec, server, sent } = await servePosts({ initialize: () => new Promise(() => undefined) });
    const transport = new PostTransport(spec, harness.log, new CookieJars());
    const received: unknown[] = [];
    transport.reader.listen((message) => received.push(message));
    await transport.writer.write({ jsonrpc: '2.0', id: 1, method: 'initialize' } as never);
    await waitFor(() => sent.length === 1);
    await Promise.all([transport.end(), transport.end()]);
    await transport.writer.write({ jsonrpc: '2.0', id: 2, method: 'initialize' } as never);
    await waitFor(() => openConnections(server).then((count) => count === 0));
    expect((await transport.gone).message).toBe('tester closed the connection.');
    expect({ sent: sent.length, received }).toEqual({ sent: 1, received: [] });
  });

  it.for<[string, Answer, string]>([
    [
      'an error in the body',
      { status: 500, body: { error: { code: -32603, message: 'no luck' } } },
      'tester reports an error: no luck',
    ],
    [
      'an HTTP error',
      { status: 502, body: 'Bad gateway' },
      'tester reports an error: the server answered 502 without a result',
    ],
    ['an empty body', { status: 202 }, 'tester reports an error: the server answered 202 without a result'],
  ])('fails one request with %s and continues', async ([, answer, message], { harness }) => {
    const answers = [answer, { body: { result: { stopReason: 'end_turn' } } }];
    const { spec } = await servePosts({ 'session/prompt': () => answers.shift()! });
    const agent = harness.launch(spec);
    await agent.ready;
    const sessionId = await agent.openSession({ method: 'new', cwd: '/work' }, new SinkDouble());
    await expect(agent.prompt(sessionId, textPrompt('one'))).rejects.toMatchObject({ message });
    expect(await agent.prompt(sessionId, textPrompt('two'))).toBe('end_turn');
  });

  it.for(['application/json', 'text/event-stream'])(
    'is disconnected if its compressed response of %s has no end',
    async (type, { harness }) => {
      const megabyte = gzipSync(Buffer.alloc(1024 * 1024, ' '));
      const { host, server } = await startWebServer((_, response) => {
        response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': 'gzip' });
        const send = () => {
          if (response.write(megabyte)) setImmediate(send);
          else response.once('drain', send);
        };
        send();
      });
      const spec: AgentSpec = { ...unreached, url: `http://${host}` };
      const transport = new PostTransport(spec, harness.log, new CookieJars(), { maxBytes: 3 * 1024 * 1024 });
      await transport.writer.write({ jsonrpc: '2.0', id: 1, method: 'initialize' } as Message);
      expect((await transport.gone).message).toContain('answered with more than 3145728 bytes');
      await transport.end();
      await waitFor(async () => (await openConnections(server)) === 0);
    },
  );

  it('reports a closed connection when the server is gone', async ({ harness }) => {
    const { spec, server } = await servePosts({ 'session/prompt': () => new Promise(() => undefined) });
    const agent = harness.launch(spec);
    await agent.ready;
    const sessionId = await agent.openSession({ method: 'new', cwd: '/work' }, new SinkDouble());
    const turn = agent.prompt(sessionId, textPrompt('hello'));
    turn.catch(() => undefined);
    server.close();
    server.closeAllConnections();
    await expect(turn).rejects.toMatchObject({
      code: 'agent_exited',
      message: 'tester closed the connection.',
      hint: ':AcpRestart connects again.',
    });
  });

  it('reports expired credentials', async ({ harness }) => {
    const { spec } = await servePosts({ 'session/new': () => ({ status: 401 }) });
    const agent = harness.launch(spec);
    await agent.ready;
    await expect(agent.openSession({ method: 'new', cwd: '/work' }, new SinkDouble())).rejects.toMatchObject({
      code: 'agent_exited',
      message: expect.stringMatching(/refused the credentials \(401\)\.$/),
    });
  });
});
