import type { Message } from 'vscode-jsonrpc';
import { isRecord, once } from '../../base.ts';
import type { AcpError } from '../../errors.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Transport } from '../transport.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { type Fetching, Gate, startFetching } from './fetching.ts';
import { MessageSink, MessageSource } from './messages.ts';
import { BadAnswer, disconnected, endOf, type Place, rootOf, unreachable } from './trouble.ts';

const maxBytes = 256 * 1024 * 1024;
const closeMs = 500;
const lostStreamMs = 200;

interface Lines {
  readonly reader: ReadableStreamDefaultReader<unknown>;
  readonly writer: WritableStreamDefaultWriter<unknown>;
  readonly fetching: Fetching;
}

/** An agent behind streamable HTTP: we POST, it answers on event streams. */
export class HttpTransport implements Transport {
  readonly reader = new MessageSource();
  readonly writer = new MessageSink((message) => this.write(message));
  readonly flow = new Gate();
  readonly isRemote = true;
  readonly carriesRequests = true;
  readonly gone: Promise<AcpError>;
  private readonly place: Place;
  private readonly opened: Promise<Lines>;
  private hasHeard = false;
  private fail!: (error: AcpError) => void;

  constructor(spec: AgentSpec) {
    const endpoint = endpointOf(spec);
    this.place = { name: spec.name, address: endpoint.address };
    this.gone = new Promise((resolve) => {
      this.fail = resolve;
    });
    void this.gone.then(() => this.reader.close());
    this.opened = this.connect(spec, endpoint);
    this.opened.then(
      (lines) => this.read(lines),
      (error: unknown) => this.fail(unreachable(this.place, error)),
    );
  }

  readonly end = once(async () => {
    const lines = await this.opened.catch(() => undefined);
    this.fail(disconnected(this.place));
    this.flow.resume();
    const goodbye = lines?.reader.cancel().catch(() => undefined);
    await Promise.race([goodbye, delay(closeMs)]);
    lines?.fetching.destroy();
  });

  private async connect(spec: AgentSpec, { url, headers }: Endpoint): Promise<Lines> {
    const fetching = await startFetching(spec, this.flow);
    const { createHttpStream } = await import('./libraries.ts');
    const { readable, writable } = createHttpStream(url, {
      fetch: fetching.fetch,
      headers: { ...headers },
      cookieStore: fetching.cookies,
      maxMessageBytes: maxBytes,
    });
    return { reader: readable.getReader(), writer: writable.getWriter(), fetching };
  }

  private async read({ reader }: Lines): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return this.fail(disconnected(this.place));
        this.hasHeard = true;
        this.receive(value as Message);
      }
    } catch (error) {
      this.fail(endOf(this.place, asBadAnswer(error), this.hasHeard));
    }
  }

  // When a server goes away it closes one stream after the other, and that of a session may be the first. Then the
  // whole connection has ended, and not a request failed.
  private receive(message: Message): void {
    if (!tellsOfLostStream(message)) return this.reader.push(withPlainError(message));
    const failed = withError(message, 'the server closed the stream of the session');
    void Promise.race([this.gone, delay(lostStreamMs)]).then((end) => {
      if (!end) this.reader.push(failed);
    });
  }

  // What could not be sent ends the stream, and that is told by the reading side.
  private async write(message: Message): Promise<void> {
    const lines = await this.opened.catch(() => undefined);
    await lines?.writer.write(message).catch(() => undefined);
  }
}

// The SDK's words for what is no ACP are for programmers.
function asBadAnswer(error: unknown): unknown {
  const isForeign = error instanceof SyntaxError || /Acp-Connection-Id|JSON-RPC/.test(rootOf(error).message);
  return isForeign ? new BadAnswer(0, 'answered, but does not speak ACP over HTTP') : error;
}

// A request that the server refused comes back as an error that quotes the whole answer.
function withPlainError(message: Message): Message {
  const { error } = message as { error?: unknown };
  const data = isRecord(error) ? error.data : undefined;
  if (!isRecord(error) || !isRecord(data) || typeof data.status !== 'number') return message;
  return withError(message, `the server answered ${data.status}${reasonIn(data.body)}`);
}

function tellsOfLostStream(message: Message): boolean {
  const { error } = message as { error?: unknown };
  return isRecord(error) && error.data === undefined && /^ACP session SSE/.test(String(error.message));
}

function withError(message: Message, text: string): Message {
  const { error } = message as { error?: { code?: unknown } };
  return { ...message, error: { code: error?.code, message: text } } as Message;
}

function reasonIn(body: unknown): string {
  const inner = isRecord(body) ? body.error : undefined;
  const reason = isRecord(inner) ? inner.message : inner;
  return typeof reason === 'string' ? `: ${reason}` : '';
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
