import type { Readable, Writable } from 'node:stream';
import type { DataCallback } from 'vscode-jsonrpc';
import { AcpError } from '../../../base/errors.ts';
import type { AgentSpec } from '../../../ports/agent.ts';
import type { Log } from '../../../ports/log.ts';
import type { OrphanGuard } from '../../../system/orphan-guard.ts';
import type { FlowControl } from '../flow-control.ts';
import { type AgentLabel, type Transport, titleOf } from '../transport.ts';
import { AgentProcess } from './agent-process.ts';
import { ChunkTemplate } from './chunk-template.ts';
import { ContentLengthSplitter, FramingDetector } from './content-length.ts';
import type { SplitterEvents, TextSplitter } from './line-splitter.ts';
import { invalidMessageLogger, NdjsonReader, NdjsonWriter } from './ndjson.ts';

const shownStderrLines = 4;
/** Of fewer lines, each is read alone. */
const minLines = 8;
/** How many lines of one read are examined for a template. */
const maxAttempts = 4;

/** An agent that is a program on this machine, connected by stdin and stdout. */
export class StdioTransport implements Transport {
  readonly reader: NdjsonReader;
  readonly writer: NdjsonWriter;
  readonly flow: FlowControl;
  readonly label: AgentLabel;
  readonly isRemote = false;
  readonly carriesRequests = true;
  readonly gone: Promise<AcpError>;
  readonly end: () => Promise<void>;
  readonly kill: () => Promise<void>;

  constructor(spec: AgentSpec, orphanGuard: OrphanGuard, log: Log) {
    this.label = { title: titleOf(spec) };
    const program = new AgentProcess(spec, orphanGuard, (line) => log.debug(`${spec.name} stderr: ${line}`));
    const writer = new StdioWriter(program.stdin, spec.framing === 'content-length');
    this.writer = writer;
    this.reader = new StdioReader(program.stdout, invalidMessageLogger(log, 'stdout'), writer);
    this.flow = program.stdout;
    this.gone = program.gone().then((reason) => exitError(this.label.title, program, reason));
    this.end = () => program.end();
    this.kill = () => program.kill();
  }
}

function exitError(agent: string, program: AgentProcess, reason: string | AcpError): AcpError {
  if (reason instanceof AcpError) return reason;
  return new AcpError('agent_exited', `${agent} ${reason}.`, {
    detail: program.lastStderr(shownStderrLines),
    hint: ':AcpRestart starts it again.',
  });
}

/**
 * Detects how the agent frames its messages, and switches the writer to the same framing. The text chunks of a message
 * that arrive together become one message, because each message costs more than its text.
 */
export class StdioReader extends NdjsonReader {
  private readonly writer: StdioWriter;
  private template: ChunkTemplate | undefined;

  constructor(stream: Readable, onInvalidMessage: (line: string) => void, writer: StdioWriter) {
    super(stream, onInvalidMessage);
    this.writer = writer;
  }

  protected override createSplitter(events: SplitterEvents): TextSplitter {
    if (this.writer.usesContentLength) return new ContentLengthSplitter(events);
    return new FramingDetector(events, () => {
      this.writer.usesContentLength = true;
    });
  }

  protected override readLines(lines: string, callback: DataCallback): void {
    const joined = this.template?.join(lines);
    if (joined) callback(joined);
    else this.readRuns(lines.split('\n'), callback);
  }

  private readRuns(lines: readonly string[], callback: DataCallback): void {
    let attempts = lines.length < minLines ? 0 : maxAttempts;
    let run: string[] = [];
    const finishRun = () => {
      this.readRun(run, callback);
      run = [];
    };
    for (const line of lines) {
      // The chunks of the next message may have another template.
      if (!this.template?.matches(line)) {
        finishRun();
        if (attempts-- > 0) this.template = ChunkTemplate.of(line) ?? this.template;
      }
      if (this.template?.matches(line)) run.push(line);
      else this.readLine(line, callback);
    }
    finishRun();
  }

  private readRun(run: readonly string[], callback: DataCallback): void {
    const joined = run.length > 1 ? this.template?.join(run.join('\n')) : undefined;
    if (joined) callback(joined);
    else for (const line of run) this.readLine(line, callback);
  }
}

/** Writes lines, or `Content-Length` frames. */
export class StdioWriter extends NdjsonWriter {
  usesContentLength: boolean;

  constructor(stream: Writable, usesContentLength = false) {
    super(stream);
    this.usesContentLength = usesContentLength;
  }

  protected override frame(text: string): string {
    return this.usesContentLength
      ? `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
      : super.frame(text);
  }
}
