import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished } from 'vitest';
import type { Message } from 'vscode-jsonrpc';
import { WebSocketServer } from 'ws';
import { HttpTransport } from '../../src/acp/transports/remote/http.ts';
import { CookieJars } from '../../src/acp/transports/remote/http-client.ts';
import { PostTransport } from '../../src/acp/transports/remote/post.ts';
import { WebSocketTransport } from '../../src/acp/transports/remote/websocket.ts';
import type { Transport } from '../../src/acp/transports/transport.ts';
import type { TransportKind } from '../../src/model/transport-kinds.ts';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { it } from '../support/agents/agent-harness.ts';
import { bodyOf, startWebServer } from '../support/system/web-server.ts';
import { waitFor } from '../support/wait.ts';

const megabyte = 1024 * 1024;

function specOf(transport: TransportKind, url: string): AgentSpec {
  return { name: 'tester', command: [], env: {}, cwd: '/work', transport, url };
}

async function begin(transport: Transport): Promise<Message[]> {
  const received: Message[] = [];
  transport.reader.listen((message) => received.push(message));
  await transport.writer.write({ jsonrpc: '2.0', id: 1, method: 'initialize' } as Message);
  return received;
}

/** Writes a block again and again, as fast as it is read. */
function repeat(stream: NodeJS.WritableStream & { destroyed?: boolean }, block: Buffer): void {
  if (stream.destroyed) return;
  if (stream.write(block)) setImmediate(() => repeat(stream, block));
  else stream.once('drain', () => repeat(stream, block));
}

function event(message: object): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}

/** A server whose event streams all begin with a text, and repeat a text compressed if there is one. */
async function serveEvents({ first = '', endless = '' }) {
  const sessions: string[] = [];
  const isCompressed = endless !== '';
  const { host } = await startWebServer(async (request, response) => {
    response.on('error', () => undefined);
    const body = await bodyOf(request);
    if (request.method === 'POST') {
      const { id } = JSON.parse(body) as { id: number };
      response.writeHead(200, { 'Content-Type': 'application/json', 'Acp-Connection-Id': 'c1' });
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } }));
    }
    if (request.method !== 'GET') return void response.writeHead(202).end();
    const session = request.headers['acp-session-id'];
    if (session) sessions.push(String(session));
    const encoding = isCompressed ? { 'Content-Encoding': 'gzip' } : {};
    response.writeHead(200, { 'Content-Type': 'text/event-stream', ...encoding }).flushHeaders();
    if (session) return;
    if (first) response.write(isCompressed ? gzipSync(first) : first);
    if (isCompressed)
      repeat(response, gzipSync(endless.repeat(Math.ceil(megabyte / endless.length)), { level: 1 }));
  });
  return { spec: specOf('http', `http://${host}/`), sessions };
}

describe('an event stream', () => {
  it.for<[string, string, string]>([
    ['comments', ':\n', 'sent 1000000 lines without a message'],
    ['events that are no messages', 'data:\n\n', 'sent 100000 events without a message'],
  ])('is ended if it goes on with %s, compressed', async ([, endless, reason]) => {
    const { spec } = await serveEvents({ endless });
    const transport = new HttpTransport(spec, new CookieJars());
    await begin(transport);
    expect(await transport.gone).toMatchObject({
      message: 'tester closed the connection.',
      detail: [expect.stringMatching(new RegExp(`: ${reason}$`))],
    });
    await transport.end();
  });

  it('may have any number of short messages, and long ones of several lines', async () => {
    const count = 150_000;
    const long = `data: {"method":\ndata: "${'x'.repeat(17 * megabyte)}"}\n\n`;
    const { spec } = await serveEvents({
      first: `${event({ method: 'a' }).repeat(count)}: alive\n\n${long}`,
    });
    const transport = new HttpTransport(spec, new CookieJars());
    const received = await begin(transport);
    await waitFor(() => received.length === count + 2);
    await transport.end();
  });

  it('can not make the host open connections without a limit', async () => {
    const answers = Array.from({ length: 600 }, (_, id) =>
      event({ id: id + 1000, result: { sessionId: `s${id}` } }),
    );
    const { spec, sessions } = await serveEvents({ first: answers.join('') });
    const transport = new HttpTransport(spec, new CookieJars());
    await begin(transport);
    expect((await transport.gone).detail[0]).toMatch(/: it would take more than 256 requests at a time$/);
    expect(sessions.length).toBeLessThan(256);
    await transport.end();
  });
});

it('an answer to a POST that comes byte by byte is refused', async ({ harness }) => {
  const { server, host } = await startWebServer(() => undefined);
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      repeat(socket, Buffer.from('1\r\nx\r\n'.repeat(10_000)));
    });
  });
  // A limit that the bytes alone do not reach for minutes.
  const limits = { maxBytes: 64 * megabyte };
  const transport = new PostTransport(
    specOf('post', `http://${host}/`),
    harness.log,
    new CookieJars(),
    limits,
  );
  await begin(transport);
  expect((await transport.gone).message).toContain('it sent 1000000 chunks of a few bytes');
  await transport.end();
});

it('a WebSocket frame of newlines only does not fill the memory', async ({ harness }) => {
  const { server, host } = await startWebServer(() => undefined);
  const sockets = new WebSocketServer({ server });
  onTestFinished(() => sockets.clients.forEach((socket) => void socket.terminate()));
  sockets.on('connection', (socket) => socket.send('\n'.repeat(40 * megabyte)));
  const transport = new WebSocketTransport(
    specOf('websocket', `ws://${host}/`),
    harness.log,
    new CookieJars(),
  );
  await begin(transport);
  expect((await transport.gone).detail[0]).toMatch(/: it sent more than 100000 lines at once$/);
  await transport.end();
});
