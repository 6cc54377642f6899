import type { Message } from 'vscode-jsonrpc';
import { once } from '../../../base/once.ts';
import { isRecord } from '../../../base/record.ts';
import { sleep } from '../../../base/timeout.ts';
import type { AgentSpec } from '../../../ports/agent.ts';
import { withNumberId } from '../exact-ids.ts';
import { type Transport, titleOf } from '../transport.ts';
import {
  connectionEndError,
  disconnectedError,
  type RemoteLabel,
  rootCause,
  UnexpectedResponse,
  unreachableError,
} from './connection-errors.ts';
import { type Endpoint, readEndpoint } from './endpoint.ts';
import { exactIdStream } from './exact-id-stream.ts';
import {
  type CookieJars,
  createHttpClient,
  FlowGate,
  type HttpClient,
  type HttpLimits,
  isEventStream,
  maxHttpMessageBytes,
} from './http-client.ts';
import { MessageLimit } from './message-limit.ts';
import { WholeMessageReader, WholeMessageWriter } from './message-streams.ts';

const httpCloseMs = 500;
const lostStreamMs = 200;

interface HttpStreams {
  readonly reader: ReadableStreamDefaultReader<unknown>;
  readonly writer: WritableStreamDefaultWriter<unknown>;
  readonly client: HttpClient;
}

/** An agent behind streamable HTTP: we POST, it answers on event streams. */
export class HttpTransport implements Transport {
  readonly reader = new WholeMessageReader();
  readonly writer = new WholeMessageWriter((message) => this.write(message));
  readonly flow = new FlowGate();
  readonly label: RemoteLabel;
  readonly isRemote = true;
  readonly carriesRequests = true;
  readonly gone = this.reader.ended;
  private readonly limit = new MessageLimit();
  private readonly opened: Promise<HttpStreams>;
  private readonly reading: Promise<void>;
  private hasReceived = false;

  constructor(spec: AgentSpec, jars: CookieJars, limits: Pick<HttpLimits, 'headMs'> = {}) {
    const endpoint = readEndpoint(spec);
    this.label = { name: spec.name, title: titleOf(spec), address: endpoint.address };
    this.opened = this.connect(endpoint, createHttpClient(spec, this.flow, jars, limits));
    this.reading = this.opened.then(
      (streams) => this.read(streams),
      (error: unknown) => this.reader.end(unreachableError(this.label, error)),
    );
  }

  readonly end = once(async () => {
    const streams = await this.opened.catch(() => undefined);
    this.reader.end(disconnectedError(this.label));
    this.flow.resume();
    const closed = streams?.reader.cancel().catch(() => undefined);
    await Promise.race([closed, sleep(httpCloseMs, { ref: false })]);
    await streams?.client.end();
    await this.reading;
  });

  private async connect({ url, headers }: Endpoint, creating: Promise<HttpClient>): Promise<HttpStreams> {
    const client = await creating;
    const { createHttpStream } = await import('./remote-libraries.ts');
    const { readable, writable } = createHttpStream(url, {
      fetch: withExactIds(client.fetch, this.limit),
      headers: { ...headers },
      cookieStore: client.cookies,
      maxMessageBytes: maxHttpMessageBytes,
    });
    return { reader: readable.getReader(), writer: writable.getWriter(), client };
  }

  private async read({ reader }: HttpStreams): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return this.reader.end(disconnectedError(this.label));
        this.hasReceived = true;
        this.limit.noteMessage();
        this.receive(value as Message);
      }
    } catch (error) {
      this.reader.end(connectionEndError(this.label, asUnexpectedResponse(error), this.hasReceived));
    }
  }

  // A server that shuts down closes its streams one by one, that of the session perhaps first. Wait whether the
  // whole connection ends before reporting a failed request.
  private receive(message: Message): void {
    if (!isLostStreamError(message)) return this.reader.push(withPlainError(message));
    const failed = withError(message, 'the server closed the stream of the session');
    setTimeout(() => this.reader.push(failed), lostStreamMs).unref();
  }

  // A failed write ends the stream; `read` reports that.
  private async write(message: Message): Promise<void> {
    const streams = await this.opened.catch(() => undefined);
    await streams?.writer.write(message).catch(() => undefined);
  }
}

// The SDK reads and writes the JSON of the messages itself.
function withExactIds(fetch: HttpClient['fetch'], limit: MessageLimit): HttpClient['fetch'] {
  return async (url, init = {}) => {
    const body = typeof init.body === 'string' ? withNumberId(init.body) : init.body;
    const response = await fetch(url, { ...init, ...(body !== undefined && { body }) });
    if (!response.body || !isEventStream(response)) return response;
    const lines = exactIdStream(maxHttpMessageBytes, limit.createCounter());
    return new Response(response.body.pipeThrough(lines), response);
  };
}

// The SDK's errors for responses that are not ACP do not help a user.
function asUnexpectedResponse(error: unknown): unknown {
  const isForeign =
    error instanceof SyntaxError || /Acp-Connection-Id|JSON-RPC/.test(rootCause(error).message);
  return isForeign ? new UnexpectedResponse(0, 'answered, but not with ACP over HTTP') : error;
}

// The SDK's error for a rejected request quotes the whole response.
function withPlainError(message: Message): Message {
  const { error } = message as { error?: unknown };
  const data = isRecord(error) ? error.data : undefined;
  if (!isRecord(error) || !isRecord(data) || typeof data.status !== 'number') return message;
  return withError(message, `the server answered ${data.status}${serverReason(data.body)}`);
}

function isLostStreamError(message: Message): boolean {
  const { error } = message as { error?: unknown };
  return isRecord(error) && error.data === undefined && /^ACP session SSE/.test(String(error.message));
}

function withError(message: Message, text: string): Message {
  const { error } = message as { error?: { code?: unknown } };
  return { ...message, error: { code: error?.code, message: text } } as Message;
}

function serverReason(body: unknown): string {
  const inner = isRecord(body) ? body.error : undefined;
  const reason = isRecord(inner) ? inner.message : inner;
  return typeof reason === 'string' ? `: ${reason}` : '';
}
