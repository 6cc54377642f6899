import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, onTestFinished, vi } from 'vitest';
import type { Message } from 'vscode-jsonrpc';
import { type WebSocket, WebSocketServer } from 'ws';
import { HttpTransport } from '../../src/acp/transports/remote/http.ts';
import { CookieJars } from '../../src/acp/transports/remote/http-client.ts';
import { PostTransport } from '../../src/acp/transports/remote/post.ts';
import { WebSocketTransport } from '../../src/acp/transports/remote/websocket.ts';
import type { Transport } from '../../src/acp/transports/transport.ts';
import type { TransportKind } from '../../src/model/transport-kinds.ts';
import type { AgentSpec } from '../../src/ports/agent.ts';
import type { Log } from '../../src/ports/log.ts';
import { it } from '../support/agents/agent-harness.ts';
import { SinkDouble } from '../support/doubles/sink.ts';
import { isMet } from '../support/system/requirements.ts';
import { anEmptyHost, bodyOf, certificate, startWebServer } from '../support/system/web-server.ts';
import { waitFor } from '../support/wait.ts';

const schemes = { websocket: 'ws', http: 'http', post: 'http' } as const;
type Kind = keyof typeof schemes;
const kinds = Object.keys(schemes) as Kind[];

function specOf(transport: TransportKind, url: string): AgentSpec {
  return { name: 'tester', command: [], env: {}, cwd: '/work', transport, url };
}

/** A transport that waits a moment only for the head of an answer. */
function openImpatiently(kind: Kind, url: string, log: Log): Transport {
  const [spec, jars, headMs] = [specOf(kind, url), new CookieJars(), 100];
  if (kind === 'websocket') return new WebSocketTransport(spec, log, jars, { handshakeMs: headMs });
  if (kind === 'http') return new HttpTransport(spec, jars, { headMs });
  return new PostTransport(spec, log, jars, { headMs });
}

const answering =
  (status: number, type: string, body: string): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': type }).end(body);
  };
const page = answering(200, 'text/html', '<html>Welcome</html>');

describe.for(kinds)('connecting over %s', (kind) => {
  const scheme = schemes[kind];

  it('fails if nothing listens', async ({ harness }) => {
    const host = await anEmptyHost();
    const { ready, gone } = harness.launch(specOf(kind, `${scheme}://me:hunter2@${host}/acp?key=hunter2`));
    await expect(ready).rejects.toMatchObject({
      code: 'agent_missing',
      message: `tester could not be reached: nothing listens at ${scheme}://${host}/acp.`,
      hint: 'Start the server or correct agents.tester.url, then :AcpRestart.',
    });
    expect(await gone).toMatchObject({ code: 'agent_missing' });
    expect(harness.log.lines.join()).not.toContain('hunter2');
  });

  it.for<[string, RequestListener, RegExp, RegExp]>([
    [
      'fails if the path does not exist',
      answering(404, 'text/plain', ''),
      /answered 404 \(not found\)\./,
      /agents\.tester\.url/,
    ],
    [
      'fails if credentials are missing',
      answering(401, 'text/html', '<b>'),
      /refused the credentials \(401\)\./,
      /\.headers/,
    ],
    [
      'fails if access is forbidden',
      answering(403, 'text/plain', ''),
      /refused the credentials \(403\)\./,
      /\.headers/,
    ],
    [
      'fails if the server redirects',
      answering(308, 'text/plain', ''),
      /answered 308 \(moved\)\./,
      /agents\.tester\.url/,
    ],
    [
      'fails if the server fails',
      answering(500, 'text/plain', 'oh'),
      /answered 500\./,
      /agents\.tester\.url/,
    ],
    [
      'fails if the server answers with a web page',
      page,
      /answered(, but does not accept WebSocket connections| with a web page, not with ACP)\./,
      /url/,
    ],
    [
      'fails if the server answers with something other than ACP',
      answering(200, 'application/json', 'hello'),
      /answered, but (does not accept WebSocket connections|not with ACP over HTTP|not in JSON)\./,
      /agents\.tester\.url/,
    ],
  ])('%s', async ([, listener, message, hint], { harness }) => {
    const { host } = await startWebServer(listener);
    const error = await harness.launch(specOf(kind, `${scheme}://${host}/x`)).ready.catch((reason) => reason);
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(error.message).toMatch(new RegExp(`^tester could not be reached: ${scheme}://${host}/x `));
    expect(error.hint).toMatch(/, then :AcpRestart\.$/);
  });

  it('fails if the server has no TLS', async ({ harness }) => {
    const { host } = await startWebServer(page);
    const { ready } = harness.launch(specOf(kind, `${scheme}s://${host}/acp`));
    await expect(ready).rejects.toMatchObject({
      message: expect.stringMatching(/no secure connection to \w+:\/\/127\.0\.0\.1:\d+\/acp: \w+\.$/),
      hint: expect.stringContaining('certificate'),
    });
  });

  it('is aborted by our end if the server never answers', async ({ harness }) => {
    let requests = 0;
    const { server, host } = await startWebServer(() => {
      requests += 1;
    });
    server.on('upgrade', () => {
      requests += 1;
    });
    const agent = harness.launch(specOf(kind, `${scheme}://${host}/acp`));
    const ready = expect(agent.ready).rejects.toMatchObject({ code: 'cancelled' });
    await waitFor(() => requests > 0);
    await Promise.all([agent.end(), ready]);
    expect(await agent.gone).toBeUndefined();
  });

  it.for<[string, string, string, RegExp]>([
    [
      'endless informational answers',
      '',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100),
      /( did not answer in time|: it sent more than 1000 informational answers)\.$/,
    ],
    ['an endless status line', 'HTTP/1.1 200 ', 'x', / did not answer in time\.$/],
    ['headers that never end', 'HTTP/1.1 200 OK\r\nX: ', 'x', / did not answer in time\.$/],
  ])('fails if the server sends %s', async ([, first, more, message], { harness }) => {
    const { server, host } = await startWebServer(() => undefined);
    // The interval is that of the server: the time between two parts of its answer.
    server.on('connection', (socket: Socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(first);
        const sending = setInterval(() => socket.write(more), 10);
        socket.once('close', () => clearInterval(sending));
      });
    });
    const transport = openImpatiently(kind, `${scheme}://${host}/acp`, harness.log);
    await transport.writer.write({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} } as Message);
    const error = await transport.gone;
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/^Check agents\.tester\.url.*, then :AcpRestart\.$/),
    });
    expect(error.message).toContain(`tester could not be reached: ${scheme}://${host}/acp`);
    await transport.end();
  });

  it('does not follow a redirect to another server', async ({ harness }) => {
    let isReached = false;
    const other = await startWebServer((_, response) => {
      isReached = true;
      response.end();
    });
    const { host } = await startWebServer((_, response) => {
      response.writeHead(307, { Location: `http://${other.host}/acp` }).end();
    });
    const { ready } = harness.launch(specOf(kind, `${scheme}://${host}/acp`));
    await expect(ready).rejects.toMatchObject({ message: expect.stringContaining('answered 307 (moved)') });
    expect(isReached).toBe(false);
  });

  it('fails if the host is unknown', async ({ harness }) => {
    const { ready } = harness.launch(specOf(kind, `${scheme}://no-such-host.invalid/acp`));
    await expect(ready).rejects.toMatchObject({
      message: `tester could not be reached: the host of ${scheme}://no-such-host.invalid/acp was not found.`,
    });
  });

  it('fails for an invalid url and an invalid header', ({ harness }) => {
    expect(() => harness.launch(specOf(kind, 'not a url'))).toThrow(
      "tester can't be reached: its url is not a valid URL.",
    );
    const headers = { 'X-Key': 'hunter2\n' };
    const launch = () => harness.launch({ ...specOf(kind, `${scheme}://127.0.0.1/`), headers });
    expect(launch).toThrow(`tester can't be reached: its header "X-Key" can't be sent.`);
  });
});

describe.skipIf(!isMet(certificate() !== undefined, 'openssl is not installed'))(
  'an agent behind TLS',
  () => {
    async function serve() {
      const server = http2.createSecureServer(certificate()!);
      const versions: string[] = [];
      server.on('stream', async (stream) => {
        versions.push('2');
        const { id } = JSON.parse(await bodyOf(stream)) as { id: number };
        stream.respond({ ':status': 200, 'content-type': 'application/json' });
        stream.end(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } }));
      });
      onTestFinished(() => void server.close());
      server.listen(0);
      await once(server, 'listening');
      return { url: `https://localhost:${(server.address() as AddressInfo).port}/`, versions };
    }

    it('uses HTTP/2', async ({ harness }) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      onTestFinished(() => void vi.unstubAllEnvs());
      const { url, versions } = await serve();
      const agent = harness.launch(specOf('post', url));
      await agent.ready;
      expect(versions).toEqual(['2']);
      await agent.end();
    });

    it('is rejected if its certificate is not trusted', async ({ harness }) => {
      const { url, versions } = await serve();
      await expect(harness.launch(specOf('post', url)).ready).rejects.toMatchObject({
        message: `tester could not be reached: no secure connection to ${url}: DEPTH_ZERO_SELF_SIGNED_CERT.`,
      });
      expect(versions).toEqual([]);
    });
  },
);

describe('a WebSocket', () => {
  async function serve(onMessage: (socket: WebSocket, text: string) => void, autoPong = true) {
    const { server, host } = await startWebServer(() => undefined);
    const sockets = new WebSocketServer({ server, autoPong });
    onTestFinished(() => sockets.clients.forEach((socket) => void socket.terminate()));
    sockets.on('connection', (socket) => {
      socket.on('message', (data) => onMessage(socket, String(data)));
    });
    return specOf('websocket', `ws://${host}/`);
  }

  const line = (fields: object) => JSON.stringify({ jsonrpc: '2.0', ...fields });

  it('accepts several lines in a frame, empty lines and invalid lines', async ({ harness }) => {
    const spec = await serve((socket, text) => {
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      const say = (word: string) =>
        line({
          method: 'session/update',
          params: {
            sessionId: 's1',
            update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: word } },
          },
        });
      if (method === 'initialize') socket.send(`\n${line({ id, result: { protocolVersion: 1 } })}\r\n\n`);
      if (method === 'session/new')
        socket.send(`${say('a')}\nLoading…\n\n${say('b')}\n${line({ id, result: { sessionId: 's1' } })}`);
    });
    const agent = harness.launch(spec);
    await agent.ready;
    const sink = new SinkDouble();
    await agent.openSession({ method: 'new', cwd: '/work' }, sink);
    expect(sink.text).toBe('ab');
    expect(harness.log.lines).toContain('warn not JSON-RPC on the WebSocket: Loading…');
  });

  it('reports the reason it was closed with', async ({ harness }) => {
    const spec = await serve((socket) => socket.close(1008, 'out of credit'));
    const agent = harness.launch(spec);
    const error = await agent.ready.catch((reason) => reason);
    expect(error).toMatchObject({ message: 'tester closed the connection.' });
    expect(error.detail).toEqual([expect.stringMatching(/^ws:\/\/.*: out of credit$/)]);
  });

  it('applies backpressure while we do not read', async ({ harness }) => {
    const frame = line({ method: '_x/big', params: { text: 'x'.repeat(1024 * 1024) } });
    let far: WebSocket | undefined;
    const spec = await serve((socket) => {
      far = socket;
      for (let count = 0; count < 40; count += 1) socket.send(frame);
    });
    const transport = new WebSocketTransport(spec, harness.log, new CookieJars());
    let received = 0;
    transport.reader.listen(() => {
      received += 1;
      if (received === 1) transport.flow.pause();
    });
    await transport.writer.write({ jsonrpc: '2.0' });
    await waitFor(() => received > 0);
    const buffered = await waitFor(() => far?.bufferedAmount);
    expect(buffered).toBeGreaterThan(10 * 1024 * 1024);
    expect(received).toBeLessThan(10);
    transport.flow.resume();
    await waitFor(() => received === 40);
    await transport.end();
  });

  it('is closed if the server does not answer pings', async ({ harness }) => {
    const transport = new WebSocketTransport(
      await serve(() => undefined, false),
      harness.log,
      new CookieJars(),
      { pingMs: 20 },
    );
    expect((await transport.gone).detail[0]).toMatch(/stopped responding$/);
    await transport.end();
  });

  it('stays open if the server answers pings', async ({ harness }) => {
    let pings = 0;
    const { server, host } = await startWebServer(() => undefined);
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => socket.on('ping', () => (pings += 1)));
    const transport = new WebSocketTransport(
      specOf('websocket', `ws://${host}/`),
      harness.log,
      new CookieJars(),
      { pingMs: 20 },
    );
    let isGone = false;
    void transport.gone.then(() => (isGone = true));
    await waitFor(() => pings > 3);
    expect(isGone).toBe(false);
    await transport.end();
    expect(isGone).toBe(true);
  });
});

it('a WebSocket offers no compression, which could fill the memory', async ({ harness }) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true });
  onTestFinished(() => server.close());
  await once(server, 'listening');
  const upgrade = once(server, 'connection');
  const { port } = server.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}`;
  const transport = new WebSocketTransport(specOf('websocket', url), harness.log, new CookieJars());
  const [socket] = (await upgrade) as [WebSocket];
  expect(socket.extensions).toBe('');
  await transport.end();
});
