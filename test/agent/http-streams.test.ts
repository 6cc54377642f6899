import type { ServerResponse } from 'node:http';
import { describe, expect } from 'vitest';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { it, SinkDouble, type Workshop } from '../support/agent-it.ts';
import type { WireMessage } from '../support/piped-connection.ts';
import { waitFor } from '../support/wait.ts';
import { bodyOf, startWebServer } from '../support/web-server.ts';

/** A server that leaves its streams to the test. */
async function serveStreams(answerPrompt: (id: unknown) => { status: number; body?: string }) {
  const streams = new Map<string, ServerResponse>();
  const tell = (stream: string, message: object) =>
    streams.get(stream)?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const { host } = await startWebServer(async (request, response) => {
    const session = request.headers['acp-session-id'];
    if (request.method === 'GET') {
      streams.set(String(session ?? 'connection'), response);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      return;
    }
    if (request.method !== 'POST') return void response.writeHead(202).end();
    const { id, method } = JSON.parse(await bodyOf(request)) as WireMessage;
    if (method === 'initialize') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Acp-Connection-Id': 'c1' });
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } }));
    }
    const { status, body = '' } = method === 'session/prompt' ? answerPrompt(id) : { status: 202 };
    response.writeHead(status).end(body);
    if (method === 'session/new') {
      await waitFor(() => streams.has('connection'));
      tell('connection', { id, result: { sessionId: 's1' } });
    }
  });
  const url = `http://${host}/acp`;
  const spec: AgentSpec = { name: 'tester', command: [], env: {}, cwd: '/', transport: 'http', url };
  return { spec, streams, tell };
}

async function open(workshop: Workshop, spec: AgentSpec) {
  const agent = workshop.launch(spec);
  await agent.ready;
  const sessionId = await agent.openSession({ how: 'new', cwd: '/' }, new SinkDouble());
  return (text: string) => agent.prompt(sessionId, text);
}

describe('the stream of a session', () => {
  it('that ends in a turn fails it, and is opened again by the next', async ({ workshop }) => {
    const asked: unknown[] = [];
    const { spec, streams, tell } = await serveStreams((id) => {
      asked.push(id);
      return { status: 202 };
    });
    const prompt = await open(workshop, spec);
    const turn = prompt('one');
    const failure = expect(turn).rejects.toMatchObject({
      code: 'agent_error',
      message: 'tester reports an error: the server closed the stream of the session',
    });
    await waitFor(() => asked.length === 1);
    streams.get('s1')?.end();
    await failure;
    const next = prompt('two');
    await waitFor(() => asked.length === 2);
    tell('s1', { id: asked[1], result: { stopReason: 'end_turn' } });
    expect(await next).toBe('end_turn');
  });

  it('that ends just before that of the connection tells of the end of both', async ({ workshop }) => {
    let isAsked = false;
    const { spec, streams } = await serveStreams(() => {
      isAsked = true;
      return { status: 202 };
    });
    const prompt = await open(workshop, spec);
    const closed = expect(prompt('one')).rejects.toMatchObject({
      code: 'agent_exited',
      message: 'tester closed the connection.',
    });
    await waitFor(() => isAsked);
    streams.get('s1')?.end(() => streams.get('connection')?.end());
    await closed;
  });
});

describe('a message that the server refuses', () => {
  it.for<[string, string, string]>([
    ['a page', '<html>sorry</html>', 'tester reports an error: the server answered 503'],
    [
      'a reason',
      '{"error":{"message":"too busy"}}',
      'tester reports an error: the server answered 503: too busy',
    ],
    ['a text', '{"error":"too busy"}', 'tester reports an error: the server answered 503: too busy'],
  ])('with %s fails alone, in one line', async ([, body, message], { workshop }) => {
    const { spec } = await serveStreams(() => ({ status: 503, body }));
    const prompt = await open(workshop, spec);
    await expect(prompt('one')).rejects.toMatchObject({ code: 'agent_error', message });
    await expect(prompt('two'), 'the connection is as it was').rejects.toMatchObject({ message });
  });
});
