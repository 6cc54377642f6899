import type { Message } from 'vscode-jsonrpc';
import { once } from '../../base.ts';
import type { AcpError } from '../../errors.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Log } from '../../ports/host.ts';
import { messageFrom } from '../ndjson.ts';
import type { Transport } from '../transport.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { type Fetching, Gate, startFetching } from './fetching.ts';
import { MessageSink, MessageSource } from './messages.ts';
import { reportingNoise } from './noise.ts';
import { BadAnswer, disconnected, endOf, type Place, unreachable } from './trouble.ts';

const internalError = -32603;
const fatal = [401, 403, 404, 410];

/** An agent that is posted one message at a time and answers in the body. It has no way to ask us anything. */
export class PostTransport implements Transport {
  readonly reader = new MessageSource();
  readonly writer = new MessageSink(async (message) => {
    // The answer may take as long as a turn does, and what is said meanwhile must not wait for it.
    void this.exchange(message);
  });
  readonly flow = new Gate();
  readonly isRemote = true;
  readonly carriesRequests = false;
  readonly gone: Promise<AcpError>;
  private readonly place: Place;
  private readonly endpoint: Endpoint;
  private readonly loading: Promise<Fetching>;
  private readonly onNoise: (text: string) => void;
  private readonly ended = new AbortController();
  private hasHeard = false;
  private fail!: (error: AcpError) => void;

  constructor(spec: AgentSpec, log: Log) {
    this.endpoint = endpointOf(spec);
    this.place = { name: spec.name, address: this.endpoint.address };
    this.onNoise = reportingNoise(log, 'a POST');
    this.gone = new Promise((resolve) => {
      this.fail = resolve;
    });
    void this.gone.then(() => this.reader.close());
    this.loading = startFetching(spec, this.flow);
    this.loading.catch((error: unknown) => this.fail(unreachable(this.place, error)));
  }

  readonly end = once(async () => {
    this.ended.abort();
    this.fail(disconnected(this.place));
    const fetching = await this.loading.catch(() => undefined);
    fetching?.destroy();
  });

  private async exchange(message: Message): Promise<void> {
    try {
      const { status, text } = await this.post(message);
      this.receive(message, status, text);
    } catch (error) {
      this.fail(endOf(this.place, error, this.hasHeard));
    }
  }

  private async post(message: Message): Promise<{ status: number; text: string }> {
    const { fetch, cookies } = await this.loading;
    const headers = new Headers({
      ...this.endpoint.headers,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    });
    cookies.apply(headers);
    const body = JSON.stringify(message);
    const signal = this.ended.signal;
    const response = await fetch(this.endpoint.url, { method: 'POST', headers, body, signal });
    cookies.store(response.headers);
    return { status: response.status, text: await response.text() };
  }

  private receive(asked: Message, status: number, text: string): void {
    const answer = messageFrom(text);
    if (fatal.includes(status)) throw new BadAnswer(status, `answered ${status}`);
    if (answer) {
      this.hasHeard = true;
      return this.reader.push(answer);
    }
    const { id, method } = asked as { id?: unknown; method?: unknown };
    if (text.trim() !== '') this.onNoise(text);
    if (id === undefined || method === undefined) return;
    if (!this.hasHeard) throw new BadAnswer(status === 200 ? 0 : status, 'answered, but not in JSON');
    this.reader.push(failure(id, `the server answered ${status} without a result`));
  }
}

function failure(id: unknown, message: string): Message {
  return { jsonrpc: '2.0', id, error: { code: internalError, message } } as Message;
}
