import { PassThrough } from 'node:stream';
import { Agent } from '../../src/acp/agent.ts';
import { reportingNoise } from '../../src/acp/transports/noise.ts';
import { PipeReader, PipeWriter } from '../../src/acp/transports/stdio.ts';
import { AcpError } from '../../src/errors.ts';
import { Leash } from '../../src/processes.ts';
import { anAgentSpec } from './builders.ts';
import { Deferred, type LogDouble } from './doubles.ts';
import type { WireMessage } from './piped-connection.ts';

type Wire = Readonly<Record<string, unknown>>;

/** A real Agent of ours whose other end, instead of a process, is the test. It answers what a session needs to begin. */
export class MemoryAgent {
  readonly agent: Agent;
  /** Everything the client wrote. */
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
        if (Object.hasOwn(usual, method)) this.say({ jsonrpc: '2.0', id, result: usual[method] });
      }
    });
    const writer = new PipeWriter(this.stdin);
    this.agent = new Agent(anAgentSpec(), new Leash(), log, undefined, undefined, {
      reader: new PipeReader(this.stdout, reportingNoise(log, 'stdout'), writer),
      writer,
      flow: this.stdout,
      isRemote: false,
      carriesRequests: true,
      gone: this.gone.promise,
      end: async () => this.gone.resolve(new AcpError('agent_exited', 'tester was ended.')),
    });
  }

  /** Sends what can be JSON in one write, each thing on a line of its own. A text is sent as it is. */
  say(...things: readonly unknown[]): void {
    const lines = things.map((thing) => (typeof thing === 'string' ? thing : JSON.stringify(thing)));
    this.stdout.write(`${lines.join('\n')}\n`);
  }
}

// Each write of the connection is a whole line.
function parseLines(text: Buffer): WireMessage[] {
  return text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as WireMessage);
}
