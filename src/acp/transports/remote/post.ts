import type { Message } from 'vscode-jsonrpc';
import { once } from '../../../base/once.ts';
import type { AgentSpec } from '../../../ports/agent.ts';
import type { Log } from '../../../ports/log.ts';
import { messageText } from '../exact-ids.ts';
import { invalidMessageLogger, parseMessage } from '../stdio/ndjson.ts';
import { type Transport, titleOf } from '../transport.ts';
import {
  connectionEndError,
  disconnectedError,
  type RemoteLabel,
  UnexpectedResponse,
  unreachableError,
} from './connection-errors.ts';
import { type Endpoint, readEndpoint } from './endpoint.ts';
import {
  type CookieJars,
  createHttpClient,
  FlowGate,
  type HttpClient,
  type HttpLimits,
  maxHttpMessageBytes,
} from './http-client.ts';
import { WholeMessageReader, WholeMessageWriter } from './message-streams.ts';

const internalError = -32603;
const fatalStatuses = [401, 403, 404, 410];

/** An agent that answers each POST in the response body. It cannot send requests. */
export class PostTransport implements Transport {
  readonly reader = new WholeMessageReader();
  readonly writer = new WholeMessageWriter(async (message) => this.startExchange(message));
  readonly flow = new FlowGate();
  readonly label: RemoteLabel;
  readonly isRemote = true;
  readonly carriesRequests = false;
  readonly gone = this.reader.ended;
  private readonly endpoint: Endpoint;
  private readonly client: Promise<HttpClient>;
  private readonly onInvalidMessage: (text: string) => void;
  private readonly exchanges = new Set<Promise<void>>();
  private readonly ended = new AbortController();
  private hasReceived = false;

  constructor(spec: AgentSpec, log: Log, jars: CookieJars, limits: HttpLimits = {}) {
    this.endpoint = readEndpoint(spec);
    this.label = { name: spec.name, title: titleOf(spec), address: this.endpoint.address };
    this.onInvalidMessage = invalidMessageLogger(log, 'a POST');
    this.client = createHttpClient(spec, this.flow, jars, { maxBytes: maxHttpMessageBytes, ...limits });
    this.client.catch((error: unknown) => this.reader.end(unreachableError(this.label, error)));
  }

  readonly end = once(async () => {
    this.ended.abort();
    this.reader.end(disconnectedError(this.label));
    const client = await this.client.catch(() => undefined);
    await client?.end();
    await Promise.all(this.exchanges);
  });

  // Not awaited by the writer: the response may take a whole turn, and later messages must not wait for it.
  private startExchange(message: Message): void {
    const exchange = this.exchange(message).finally(() => this.exchanges.delete(exchange));
    this.exchanges.add(exchange);
  }

  private async exchange(message: Message): Promise<void> {
    try {
      const { status, text } = await this.post(message);
      this.receive(message, status, text);
    } catch (error) {
      this.reader.end(connectionEndError(this.label, error, this.hasReceived));
    }
  }

  private async post(message: Message): Promise<{ status: number; text: string }> {
    const { fetch, cookies } = await this.client;
    const headers = new Headers({
      ...this.endpoint.headers,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    });
    cookies.apply(headers);
    const body = messageText(message);
    const signal = this.ended.signal;
    const response = await fetch(this.endpoint.url, { method: 'POST', headers, body, signal });
    cookies.store(response.headers);
    return { status: response.status, text: await response.text() };
  }

  private receive(asked: Message, status: number, text: string): void {
    const answer = parseMessage(text);
    if (fatalStatuses.includes(status)) throw new UnexpectedResponse(status, `answered ${status}`);
    if (answer) {
      this.hasReceived = true;
      return this.reader.push(answer);
    }
    const { id, method } = asked as { id?: unknown; method?: unknown };
    if (text.trim() !== '') this.onInvalidMessage(text);
    if (id === undefined || method === undefined) return;
    if (!this.hasReceived)
      throw new UnexpectedResponse(status === 200 ? 0 : status, 'answered, but not in JSON');
    this.reader.push(errorResponse(id, `the server answered ${status} without a result`));
  }
}

function errorResponse(id: unknown, message: string): Message {
  return { jsonrpc: '2.0', id, error: { code: internalError, message } } as Message;
}
