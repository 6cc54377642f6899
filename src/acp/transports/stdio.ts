import type { Readable, Writable } from 'node:stream';
import { AcpError } from '../../errors.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Log } from '../../ports/host.ts';
import type { Leash } from '../../processes.ts';
import { AgentProcess } from '../agent-process.ts';
import type { Flow } from '../inbox.ts';
import type { LineSplitterEvents, Splitter } from '../line-splitter.ts';
import { NdjsonReader, NdjsonWriter } from '../ndjson.ts';
import type { Transport } from '../transport.ts';
import { FrameSplitter, FramingSniffer } from './framing.ts';
import { reportingNoise } from './noise.ts';

const lastWords = 4;

/** A program on this machine, spoken to through its pipes. */
export class StdioTransport implements Transport {
  readonly reader: NdjsonReader;
  readonly writer: NdjsonWriter;
  readonly flow: Flow;
  readonly isRemote = false;
  readonly carriesRequests = true;
  readonly gone: Promise<AcpError>;
  readonly end: () => Promise<void>;
  readonly kill: () => Promise<void>;

  constructor(spec: AgentSpec, leash: Leash, log: Log) {
    const program = new AgentProcess(spec, leash, (line) => log.debug(`${spec.name} stderr: ${line}`));
    const writer = new PipeWriter(program.stdin, spec.framing === 'content-length');
    this.writer = writer;
    this.reader = new PipeReader(program.stdout, reportingNoise(log, 'stdout'), writer);
    this.flow = program.stdout;
    this.gone = program.gone().then((reason) => endOf(spec, program, reason));
    this.end = () => program.end();
    this.kill = () => program.kill();
  }
}

function endOf(spec: AgentSpec, program: AgentProcess, reason: string | AcpError): AcpError {
  if (reason instanceof AcpError) return reason;
  return new AcpError('agent_exited', `${spec.name} ${reason}.`, {
    detail: program.lastWords(lastWords),
    hint: ':AcpRestart starts it again.',
  });
}

/** Understands both framings, and has the writer use the one that the agent uses. */
export class PipeReader extends NdjsonReader {
  private readonly writer: PipeWriter;

  constructor(stream: Readable, onNoise: (line: string) => void, writer: PipeWriter) {
    super(stream, onNoise);
    this.writer = writer;
  }

  protected override splitter(events: LineSplitterEvents): Splitter {
    if (this.writer.isFramed) return new FrameSplitter(events);
    return new FramingSniffer(events, () => {
      this.writer.isFramed = true;
    });
  }
}

/** Writes lines, or `Content-Length` frames. */
export class PipeWriter extends NdjsonWriter {
  isFramed: boolean;

  constructor(stream: Writable, isFramed = false) {
    super(stream);
    this.isFramed = isFramed;
  }

  protected override frame(text: string): string {
    return this.isFramed ? `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}` : super.frame(text);
  }
}
