import type { IncomingMessage } from 'node:http';
import type { Message } from 'vscode-jsonrpc';
import type { WebSocket } from 'ws';
import { once } from '../../../base/once.ts';
import type { AgentSpec } from '../../../ports/agent.ts';
import type { Log } from '../../../ports/log.ts';
import { messageText } from '../exact-ids.ts';
import { invalidMessageLogger, parseMessage } from '../stdio/ndjson.ts';
import { type Transport, titleOf } from '../transport.ts';
import {
  disconnectedError,
  type RemoteLabel,
  UnexpectedResponse,
  unreachableError,
} from './connection-errors.ts';
import { type Endpoint, readEndpoint } from './endpoint.ts';
import type { CookieJars } from './http-client.ts';
import { WholeMessageReader, WholeMessageWriter } from './message-streams.ts';

const maxFrameBytes = 256 * 1024 * 1024;
/** A frame could have a line for each of its bytes. */
const maxFrameLines = 100_000;
const socketCloseMs = 300;

interface SocketTimes {
  /** The time between two pings, and the longest wait for a pong. */
  readonly pingMs?: number;
  readonly handshakeMs?: number;
}

/**
 * An agent behind a WebSocket. Not the stream of the SDK: that one answers invalid messages with errors, rejects
 * frames with several lines, and has no backpressure.
 */
export class WebSocketTransport implements Transport {
  readonly reader = new WholeMessageReader();
  readonly writer = new WholeMessageWriter((message) => this.write(message));
  readonly label: RemoteLabel;
  readonly isRemote = true;
  readonly carriesRequests = true;
  readonly flow = { pause: () => this.socket?.pause(), resume: () => this.socket?.resume() };
  readonly gone = this.reader.ended;
  private readonly onInvalidMessage: (text: string) => void;
  private readonly opened: Promise<void>;
  private readonly pingMs: number;
  private readonly handshakeMs: number;
  private socket: WebSocket | undefined;
  private isOpen = false;
  private isEnding = false;
  private hasPonged = true;

  constructor(
    spec: AgentSpec,
    log: Log,
    jars: CookieJars,
    { pingMs = 30_000, handshakeMs = 20_000 }: SocketTimes = {},
  ) {
    const endpoint = readEndpoint(spec);
    this.pingMs = pingMs;
    this.handshakeMs = handshakeMs;
    this.label = { name: spec.name, title: titleOf(spec), address: endpoint.address };
    this.onInvalidMessage = invalidMessageLogger(log, 'the WebSocket');
    this.opened = this.connect(spec, endpoint, jars);
    this.opened.catch((error: unknown) => this.reader.end(unreachableError(this.label, error)));
  }

  readonly end = once(async () => {
    this.isEnding = true;
    const { socket } = this;
    if (!socket || socket.readyState === socket.CLOSED) return this.reader.end(disconnectedError(this.label));
    socket.resume();
    socket.close(1000);
    const timer = setTimeout(() => socket.terminate(), socketCloseMs);
    await this.gone;
    clearTimeout(timer);
  });

  private async connect(spec: AgentSpec, { url, headers }: Endpoint, jars: CookieJars): Promise<void> {
    const { WebSocket, MemoryAcpCookieStore } = await import('./remote-libraries.ts');
    if (this.isEnding) return;
    const cookies = jars.jarFor(spec, MemoryAcpCookieStore);
    const request = new Headers(headers);
    cookies.apply(request);
    const socket = new WebSocket(url, {
      headers: Object.fromEntries(request),
      maxPayload: maxFrameBytes,
      // A few kilobytes could be decompressed to a gigabyte.
      perMessageDeflate: false,
    });
    this.socket = socket;
    socket.on('upgrade', (response) => cookies.store(cookieHeaders(response)));
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.receive(String(data));
    });
    await untilOpen(socket, this.handshakeMs);
    this.isOpen = true;
    socket.on('error', (error) => this.reader.end(disconnectedError(this.label, error.message)));
    this.pingRegularly(socket);
  }

  // A lost network closes no socket; only a missing pong shows it.
  private pingRegularly(socket: WebSocket): void {
    const timer = setInterval(() => {
      if (socket.isPaused) return;
      if (!this.hasPonged) return socket.terminate();
      this.hasPonged = false;
      socket.ping();
    }, this.pingMs).unref();
    const notePong = () => {
      this.hasPonged = true;
    };
    socket.on('pong', notePong).on('message', notePong);
    socket.once('close', (_code, reason) => {
      clearInterval(timer);
      this.reader.end(
        disconnectedError(this.label, this.hasPonged ? String(reason) : 'it stopped responding'),
      );
    });
  }

  // Some agents send several lines in one frame.
  private receive(text: string): void {
    const lines = text.split('\n', maxFrameLines + 1);
    if (lines.length > maxFrameLines) return this.refuse(`it sent more than ${maxFrameLines} lines at once`);
    for (const line of lines) {
      if (line.trim() === '') continue;
      const message = parseMessage(line);
      if (message) this.reader.push(message);
      else this.onInvalidMessage(line);
    }
  }

  private refuse(reason: string): void {
    this.reader.end(disconnectedError(this.label, reason));
    this.socket?.terminate();
  }

  private async write(message: Message): Promise<void> {
    const text = messageText(message);
    await this.opened.catch(() => undefined);
    const { socket } = this;
    if (!this.isOpen || !socket || socket.readyState !== socket.OPEN) return;
    await new Promise<void>((resolve) => {
      socket.send(text, () => resolve());
    });
  }
}

function untilOpen(socket: WebSocket, handshakeMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const opened = new Promise<void>((resolve, reject) => {
    // The limit of ws begins again with every byte.
    timer = setTimeout(() => {
      reject(new Error('the handshake timed out'));
      socket.terminate();
    }, handshakeMs);
    socket.once('open', resolve);
    socket.once('close', () => reject(new UnexpectedResponse(0, 'closed the connection immediately')));
    socket.on('error', reject);
    socket.once('unexpected-response', (request, response) => {
      request.destroy();
      reject(
        new UnexpectedResponse(response.statusCode === 200 ? 0 : (response.statusCode ?? 0), notWebSocket),
      );
    });
  });
  return opened.finally(() => clearTimeout(timer));
}

const notWebSocket = 'answered, but does not accept WebSocket connections';

function cookieHeaders(response: IncomingMessage): Headers {
  const headers = new Headers();
  for (const cookie of response.headers['set-cookie'] ?? []) headers.append('set-cookie', cookie);
  return headers;
}
