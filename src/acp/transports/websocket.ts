import type { IncomingMessage } from 'node:http';
import type { Message } from 'vscode-jsonrpc';
import type { WebSocket } from 'ws';
import { once } from '../../base.ts';
import type { AcpError } from '../../errors.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Log } from '../../ports/host.ts';
import { messageFrom } from '../ndjson.ts';
import type { Transport } from '../transport.ts';
import { cookiesOf } from './cookies.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { MessageSink, MessageSource } from './messages.ts';
import { reportingNoise } from './noise.ts';
import { BadAnswer, disconnected, type Place, unreachable } from './trouble.ts';

const maxBytes = 256 * 1024 * 1024;
const handshakeMs = 20_000;
const closeMs = 300;

/**
 * An agent behind a WebSocket. The SDK has a stream for that too; it answers noise with errors, refuses what a frame
 * with several lines holds, and can't be held up.
 */
export class WebSocketTransport implements Transport {
  readonly reader = new MessageSource();
  readonly writer = new MessageSink((message) => this.write(message));
  readonly isRemote = true;
  readonly carriesRequests = true;
  readonly flow = { pause: () => this.socket?.pause(), resume: () => this.socket?.resume() };
  readonly gone: Promise<AcpError>;
  private readonly place: Place;
  private readonly onNoise: (text: string) => void;
  private readonly opened: Promise<void>;
  private socket: WebSocket | undefined;
  private isOpen = false;
  private isEnding = false;
  private isAnswering = true;
  private fail!: (error: AcpError) => void;

  /** `pulseMs`: how long the other side may be silent to a ping before it counts as gone. */
  constructor(spec: AgentSpec, log: Log, pulseMs = 30_000) {
    const endpoint = endpointOf(spec);
    this.place = { name: spec.name, address: endpoint.address };
    this.onNoise = reportingNoise(log, 'the WebSocket');
    this.gone = new Promise((resolve) => {
      this.fail = resolve;
    });
    void this.gone.then(() => this.reader.close());
    this.opened = this.connect(spec, endpoint, pulseMs);
    // The first message to be written finds out, and `gone` tells.
    this.opened.catch((error: unknown) => this.fail(unreachable(this.place, error)));
  }

  readonly end = once(async () => {
    this.isEnding = true;
    const { socket } = this;
    if (!socket || socket.readyState === socket.CLOSED) return this.fail(disconnected(this.place));
    socket.resume();
    socket.close(1000);
    const patience = setTimeout(() => socket.terminate(), closeMs);
    await this.gone;
    clearTimeout(patience);
  });

  private async connect(spec: AgentSpec, { url, headers }: Endpoint, pulseMs: number): Promise<void> {
    const { WebSocket, MemoryAcpCookieStore } = await import('./libraries.ts');
    if (this.isEnding) return;
    const cookies = cookiesOf(spec, MemoryAcpCookieStore);
    const request = new Headers(headers);
    cookies.apply(request);
    const socket = new WebSocket(url, {
      headers: Object.fromEntries(request),
      handshakeTimeout: handshakeMs,
      maxPayload: maxBytes,
    });
    this.socket = socket;
    socket.on('upgrade', (response) => cookies.store(headersOf(response)));
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.receive(String(data));
    });
    await opening(socket);
    this.isOpen = true;
    socket.on('error', (error) => this.fail(disconnected(this.place, error.message)));
    this.watch(socket, pulseMs);
  }

  // Nothing else tells that a network has gone away.
  private watch(socket: WebSocket, pulseMs: number): void {
    const pulse = setInterval(() => {
      if (socket.isPaused) return;
      if (!this.isAnswering) return socket.terminate();
      this.isAnswering = false;
      socket.ping();
    }, pulseMs).unref();
    const isThere = () => {
      this.isAnswering = true;
    };
    socket.on('pong', isThere).on('message', isThere);
    socket.once('close', (_code, reason) => {
      clearInterval(pulse);
      this.fail(disconnected(this.place, this.isAnswering ? String(reason) : 'it did not answer any more'));
    });
  }

  // Some agents put several lines into a frame.
  private receive(text: string): void {
    for (const line of text.split('\n')) {
      if (line.trim() === '') continue;
      const message = messageFrom(line);
      if (message) this.reader.push(message);
      else this.onNoise(line);
    }
  }

  private async write(message: Message): Promise<void> {
    const text = JSON.stringify(message);
    await this.opened.catch(() => undefined);
    const { socket } = this;
    if (!this.isOpen || !socket || socket.readyState !== socket.OPEN) return;
    await new Promise<void>((resolve) => {
      socket.send(text, () => resolve());
    });
  }
}

function opening(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('close', () => reject(new BadAnswer(0, 'closed the connection at once')));
    socket.on('error', reject);
    socket.once('unexpected-response', (request, response) => {
      request.destroy();
      reject(new BadAnswer(response.statusCode === 200 ? 0 : (response.statusCode ?? 0), noWebSocket));
    });
  });
}

const noWebSocket = 'answered, but opens no WebSocket';

function headersOf(response: IncomingMessage): Headers {
  const headers = new Headers();
  for (const cookie of response.headers['set-cookie'] ?? []) headers.append('set-cookie', cookie);
  return headers;
}
