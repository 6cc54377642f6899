import { PassThrough } from 'node:stream';
import {
  Connection,
  type ConnectionOptions,
  type RequestHandler,
} from '../../../src/acp/connection/connection.ts';
import { invalidMessageLogger } from '../../../src/acp/transports/stdio/ndjson.ts';
import { StdioReader, StdioWriter } from '../../../src/acp/transports/stdio/stdio.ts';
import { settle } from '../doubles/deferred.ts';
import { LogDouble } from '../doubles/log.ts';
import { waitFor } from '../wait.ts';

export interface WireMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface PipedOptions extends Pick<ConnectionOptions, 'listeners' | 'onRequestSent' | 'needsSingleChunks'> {
  readonly handlers?: Readonly<Record<string, RequestHandler>>;
  readonly onUpdate?: (params: Record<string, unknown>) => void;
  readonly onMessage?: (message: unknown, isOutgoing: boolean) => void;
}

/** A Connection whose other end is the test. */
export class PipedConnection {
  readonly log = new LogDouble();
  readonly updates: Record<string, unknown>[] = [];
  /** All messages of the connection. */
  readonly written: WireMessage[] = [];
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly connection: Connection;

  constructor(options: PipedOptions = {}) {
    const { handlers = {}, onUpdate = (params) => this.updates.push(params), ...rest } = options;
    this.output.on('data', (text: Buffer) => this.written.push(...parseLines(text)));
    const writer = new StdioWriter(this.output);
    const reader = new StdioReader(this.input, invalidMessageLogger(this.log, 'stdout'), writer);
    this.connection = new Connection({
      transport: { reader, writer, flow: this.input },
      log: this.log,
      onUpdate,
      handlers,
      isStrict: false,
      currentSession: () => undefined,
      ...rest,
    });
  }

  /** Sends messages to the connection in one write. */
  send(...messages: readonly (WireMessage | string)[]): void {
    const lines = messages.map((message) =>
      typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message }),
    );
    this.input.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** The answers of the connection so far. */
  get answers(): readonly WireMessage[] {
    return this.written.filter(({ method }) => method === undefined);
  }

  answer(id: unknown): Promise<WireMessage> {
    return waitFor(() => this.answers.find((answer) => answer.id === id), {
      describe: () => `written: ${JSON.stringify(this.written)}\nlog: ${this.log.lines.join('\n')}`,
    });
  }

  /** All answers, once the connection is idle. */
  async allAnswers(): Promise<readonly WireMessage[]> {
    let count = -1;
    while (count !== this.written.length) {
      count = this.written.length;
      await settle(10);
    }
    return this.answers;
  }
}

export function anUpdate(update: unknown, sessionId = 's1'): WireMessage {
  return { method: 'session/update', params: { sessionId, update } };
}

// The connection writes whole lines.
function parseLines(text: Buffer): WireMessage[] {
  return text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as WireMessage);
}
