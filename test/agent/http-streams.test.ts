import type { ServerResponse } from 'node:http';
import { describe, expect } from 'vitest';
import { textPrompt } from '../../src/model/prompt.ts';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import type { WireMessage } from '../support/agents/piped-connection.ts';
import { SinkDouble } from '../support/doubles/sink.ts';
import { bodyOf, startWebServer } from '../support/system/web-server.ts';
import { waitFor } from '../support/wait.ts';

interface Answer {
  readonly status: number;
  readonly body?: string;
}

/** A server whose event streams the test controls. */
async function serveStreams(answerPrompt: (id: unknown) => Answer) {
  const bodies: string[] = [];
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
    const body = await bodyOf(request);
    bodies.push(body);
    const { id, method } = JSON.parse(body) as WireMessage;
    if (method === 'initialize') {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Acp-Connection-Id': 'c1' });
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } }));
    }
    const answer: Answer = method === 'session/prompt' ? answerPrompt(id) : { status: 202 };
    response.writeHead(answer.status).end(answer.body);
    if (method === 'session/new') {
      await waitFor(() => streams.has('connection'));
      tell('connection', { id, result: { sessionId: 's1' } });
    }
  });
  const url = `http://${host}/acp`;
  const spec: AgentSpec = { name: 'tester', command: [], env: {}, cwd: '/', transport: 'http', url };
  return { spec, streams, bodies, tell };
}

async function open(harness: AgentHarness, spec: AgentSpec) {
  const agent = harness.launch(spec);
  await agent.ready;
  const sessionId = await agent.openSession({ method: 'new', cwd: '/' }, new SinkDouble());
  return (text: string) => agent.prompt(sessionId, textPrompt(text));
}

describe('the event stream of a session', () => {
  it('fails the turn when it ends, and is opened again by the next turn', async ({ harness }) => {
    const asked: unknown[] = [];
    const { spec, streams, tell } = await serveStreams((id) => {
      asked.push(id);
      return { status: 202 };
    });
    const prompt = await open(harness, spec);
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

  it('reports a closed connection if the stream of the connection ends too', async ({ harness }) => {
    let isAsked = false;
    const { spec, streams } = await serveStreams(() => {
      isAsked = true;
      return { status: 202 };
    });
    const prompt = await open(harness, spec);
    const closed = expect(prompt('one')).rejects.toMatchObject({
      code: 'agent_exited',
      message: 'tester closed the connection.',
    });
    await waitFor(() => isAsked);
    streams.get('s1')?.end(() => streams.get('connection')?.end());
    await closed;
  });
});

describe('a message that the server rejects', () => {
  it.for<[string, string, string]>([
    ['a web page', '<html>sorry</html>', 'tester reports an error: the server answered 503'],
    [
      'a reason',
      '{"error":{"message":"too busy"}}',
      'tester reports an error: the server answered 503: too busy',
    ],
    ['a text', '{"error":"too busy"}', 'tester reports an error: the server answered 503: too busy'],
  ])('with %s fails only its own request, with a one-line error', async ([, body, message], { harness }) => {
    const { spec } = await serveStreams(() => ({ status: 503, body }));
    const prompt = await open(harness, spec);
    await expect(prompt('one')).rejects.toMatchObject({ code: 'agent_error', message });
    await expect(prompt('two'), 'the connection is as it was').rejects.toMatchObject({ message });
  });
});

it('a request over HTTP is answered with all digits of its id', async ({ harness }) => {
  const { spec, streams, bodies } = await serveStreams(() => ({ status: 202 }));
  const prompt = await open(harness, spec);
  const turn = prompt('go').catch((error: unknown) => error);
  const stream = await waitFor(() => streams.get('s1'));
  // In two writes, with another number of the same rounded value before the id.
  stream.write('data: {"jsonrpc":"2.0","method":"_x/what","params":{"é":"\\u4e2d","id":9007199254740992},');
  stream.write('"id":9007199254740993}\n\n');
  const answer = await waitFor(() => bodies.find((body) => body.includes('"error"')));
  expect(answer).toContain('"id":9007199254740993,');
  streams.get('connection')?.end(() => streams.get('s1')?.end());
  await turn;
});
