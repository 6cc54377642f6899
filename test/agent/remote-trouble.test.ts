import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { WebSocketTransport } from '../../src/acp/transports/websocket.ts';
import type { AgentSpec, TransportKind } from '../../src/ports/agent.ts';
import { it, SinkDouble } from '../support/agent-it.ts';
import { waitFor } from '../support/wait.ts';
import { anEmptyHost, bodyOf, certificate, startWebServer } from '../support/web-server.ts';

const schemes = { websocket: 'ws', http: 'http', post: 'http' } as const;
type Kind = keyof typeof schemes;
const kinds = Object.keys(schemes) as Kind[];

function specOf(transport: TransportKind, url: string): AgentSpec {
  return { name: 'tester', command: [], env: {}, cwd: '/work', transport, url };
}

const answering =
  (status: number, type: string, body: string): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': type }).end(body);
  };
const page = answering(200, 'text/html', '<html>Welcome</html>');

describe.for(kinds)('an agent that should be reached over %s', (kind) => {
  const scheme = schemes[kind];

  it('where nobody listens', async ({ workshop }) => {
    const host = await anEmptyHost();
    const { ready, gone } = workshop.launch(specOf(kind, `${scheme}://me:hunter2@${host}/acp?key=hunter2`));
    await expect(ready).rejects.toMatchObject({
      code: 'agent_missing',
      message: `tester could not be reached: nobody listens at ${scheme}://${host}/acp.`,
      hint: 'Start the server or correct agents.tester.url, then :AcpRestart.',
    });
    expect(await gone).toMatchObject({ code: 'agent_missing' });
    expect(workshop.log.lines.join()).not.toContain('hunter2');
  });

  it.for<[string, RequestListener, RegExp, RegExp]>([
    [
      'that is not there',
      answering(404, 'text/plain', ''),
      /answered 404 \(not found\)\./,
      /agents\.tester\.url/,
    ],
    [
      'that wants a login',
      answering(401, 'text/html', '<b>'),
      /refused the credentials \(401\)\./,
      /\.headers/,
    ],
    ['that is forbidden', answering(403, 'text/plain', ''), /refused the credentials \(403\)\./, /\.headers/],
    ['that has moved', answering(308, 'text/plain', ''), /answered 308 \(moved\)\./, /agents\.tester\.url/],
    ['that is broken', answering(500, 'text/plain', 'oh'), /answered 500\./, /agents\.tester\.url/],
    [
      'that is a web page',
      page,
      /answered(, but opens no WebSocket| with a web page, not with ACP)\./,
      /url/,
    ],
    [
      'that speaks something else',
      answering(200, 'application/json', 'hello'),
      /answered, but (opens no WebSocket|does not speak ACP over HTTP|not in JSON)\./,
      /agents\.tester\.url/,
    ],
  ])('%s', async ([, listener, message, hint], { workshop }) => {
    const { host } = await startWebServer(listener);
    const error = await workshop
      .launch(specOf(kind, `${scheme}://${host}/x`))
      .ready.catch((reason) => reason);
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(error.message).toMatch(new RegExp(`^tester could not be reached: ${scheme}://${host}/x `));
    expect(error.hint).toMatch(/, then :AcpRestart\.$/);
  });

  it('without the security that was asked for', async ({ workshop }) => {
    const { host } = await startWebServer(page);
    const { ready } = workshop.launch(specOf(kind, `${scheme}s://${host}/acp`));
    await expect(ready).rejects.toMatchObject({
      message: expect.stringMatching(/no secure connection to \w+:\/\/127\.0\.0\.1:\d+\/acp: \w+\.$/),
      hint: expect.stringContaining('certificate'),
    });
  });

  it('that never answers is given up when we end', async ({ workshop }) => {
    let requests = 0;
    const { server, host } = await startWebServer(() => {
      requests += 1;
    });
    server.on('upgrade', () => {
      requests += 1;
    });
    const agent = workshop.launch(specOf(kind, `${scheme}://${host}/acp`));
    const ready = expect(agent.ready).rejects.toMatchObject({ code: 'cancelled' });
    await waitFor(() => requests > 0);
    await Promise.all([agent.end(), ready]);
    expect(await agent.gone).toBeUndefined();
  });

  it('that passes us on to another gets no second request', async ({ workshop }) => {
    let isReached = false;
    const other = await startWebServer((_, response) => {
      isReached = true;
      response.end();
    });
    const { host } = await startWebServer((_, response) => {
      response.writeHead(307, { Location: `http://${other.host}/acp` }).end();
    });
    const { ready } = workshop.launch(specOf(kind, `${scheme}://${host}/acp`));
    await expect(ready).rejects.toMatchObject({ message: expect.stringContaining('answered 307 (moved)') });
    expect(isReached).toBe(false);
  });

  it('at a host that nobody knows', async ({ workshop }) => {
    const { ready } = workshop.launch(specOf(kind, `${scheme}://no-such-host.invalid/acp`));
    await expect(ready).rejects.toMatchObject({
      message: `tester could not be reached: the host of ${scheme}://no-such-host.invalid/acp is not known.`,
    });
  });

  it('at something that is no url, or with a header that can not be sent', ({ workshop }) => {
    expect(() => workshop.launch(specOf(kind, 'not a url'))).toThrow(
      "tester can't be reached: its url is none.",
    );
    const headers = { 'X-Key': 'hunter2\n' };
    const launch = () => workshop.launch({ ...specOf(kind, `${scheme}://127.0.0.1/`), headers });
    expect(launch).toThrow(`tester can't be reached: its header "X-Key" can't be sent.`);
  });
});

describe.skipIf(!certificate())('an agent behind TLS', () => {
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

  it('is spoken to over HTTP/2', async ({ workshop }) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { url, versions } = await serve();
    const agent = workshop.launch(specOf('post', url));
    await agent.ready;
    expect(versions).toEqual(['2']);
    await agent.end();
  });

  it('that nobody vouches for is not trusted', async ({ workshop }) => {
    const { url, versions } = await serve();
    await expect(workshop.launch(specOf('post', url)).ready).rejects.toMatchObject({
      message: `tester could not be reached: no secure connection to ${url}: DEPTH_ZERO_SELF_SIGNED_CERT.`,
    });
    expect(versions).toEqual([]);
  });
});

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

  it('may have several lines in a frame, empty ones and noise', async ({ workshop }) => {
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
    const agent = workshop.launch(spec);
    await agent.ready;
    const sink = new SinkDouble();
    await agent.openSession({ how: 'new', cwd: '/work' }, sink);
    expect(sink.text).toBe('ab');
    expect(workshop.log.lines).toContain('warn not JSON-RPC on the WebSocket: Loading…');
  });

  it('that is closed with a reason tells it', async ({ workshop }) => {
    const spec = await serve((socket) => socket.close(1008, 'out of credit'));
    const agent = workshop.launch(spec);
    const error = await agent.ready.catch((reason) => reason);
    expect(error).toMatchObject({ message: 'tester closed the connection.' });
    expect(error.detail).toEqual([expect.stringMatching(/^ws:\/\/.*: out of credit$/)]);
  });

  it('holds up the other end while we do not read', async ({ workshop }) => {
    const frame = line({ method: '_x/big', params: { text: 'x'.repeat(1024 * 1024) } });
    let far: WebSocket | undefined;
    const spec = await serve((socket) => {
      far = socket;
      for (let count = 0; count < 40; count += 1) socket.send(frame);
    });
    const transport = new WebSocketTransport(spec, workshop.log);
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

  it('whose other end is silent to pings is closed', async ({ workshop }) => {
    const transport = new WebSocketTransport(await serve(() => undefined, false), workshop.log, 20);
    expect((await transport.gone).detail[0]).toMatch(/did not answer any more$/);
    await transport.end();
  });

  it('whose other end answers pings stays open', async ({ workshop }) => {
    let pings = 0;
    const { server, host } = await startWebServer(() => undefined);
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => socket.on('ping', () => (pings += 1)));
    const transport = new WebSocketTransport(specOf('websocket', `ws://${host}/`), workshop.log, 20);
    let isGone = false;
    void transport.gone.then(() => (isGone = true));
    await waitFor(() => pings > 3);
    expect(isGone).toBe(false);
    await transport.end();
    expect(isGone).toBe(true);
  });
});
