import { PassThrough } from 'node:stream';
import { Agent } from '../../../src/acp/agent.ts';
import { invalidMessageLogger } from '../../../src/acp/transports/stdio/ndjson.ts';
import { StdioReader, StdioWriter } from '../../../src/acp/transports/stdio/stdio.ts';
import { AcpError } from '../../../src/base/errors.ts';
import { anAgentSpec } from '../builders.ts';
import { Deferred } from '../doubles/deferred.ts';
import type { LogDouble } from '../doubles/log.ts';
import type { WireMessage } from './piped-connection.ts';

type Wire = Readonly<Record<string, unknown>>;

/** An Agent connected to the test instead of a process. It answers the requests that open a session. */
export class MemoryAgent {
  readonly agent: Agent;
  /** All messages of the client. */
  readonly written: WireMessage[] = [];
  private readonly stdout = new PassThrough();
  private readonly stdin = new PassThrough();
  private readonly gone = new Deferred<AcpError>();

  constructor(log: LogDouble, results: Wire = {}) {
    const usual: Wire = {
      initialize: { protocolVersion: 1 },
      'session/new': { sessionId: 's1' },
      ...results,
    };
    this.stdin.on('data', (text: Buffer) => {
      for (const message of parseLines(text)) {
        this.written.push(message);
        const { id, method = '' } = message;
        if (Object.hasOwn(usual, method)) this.send({ jsonrpc: '2.0', id, result: usual[method] });
      }
    });
    const writer = new StdioWriter(this.stdin);
    this.agent = new Agent(anAgentSpec(), {
      log,
      transport: {
        label: { title: 'tester' },
        reader: new StdioReader(this.stdout, invalidMessageLogger(log, 'stdout'), writer),
        writer,
        flow: this.stdout,
        isRemote: false,
        carriesRequests: true,
        gone: this.gone.promise,
        end: async () => this.gone.resolve(new AcpError('agent_exited', 'tester was ended.')),
      },
    });
  }

  /** Sends messages in one write, one per line. Strings are sent unchanged. */
  send(...things: readonly unknown[]): void {
    const lines = things.map((thing) => (typeof thing === 'string' ? thing : JSON.stringify(thing)));
    this.stdout.write(`${lines.join('\n')}\n`);
  }
}

// The connection writes whole lines.
function parseLines(text: Buffer): WireMessage[] {
  return text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as WireMessage);
}
