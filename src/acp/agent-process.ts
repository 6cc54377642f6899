import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { once } from '../base.ts';
import { AcpError } from '../errors.ts';
import { MarkedGroup } from '../marked-group.ts';
import type { AgentSpec } from '../ports/agent.ts';
import { type GroupProcess, type Leash, orderlyEndMs, spawnGroup } from '../processes.ts';
import { LastWords } from './last-words.ts';
import { LineSplitter } from './line-splitter.ts';

const termMs = 1_000;
const killMs = 500;
const drainMs = 300;

/** Stands in the environment of an agent and of everything that it starts. */
const markName = 'ACP_AGENT';

/** The program of an agent, its pipes and its end. */
export class AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with a sentence's end such as "exited with code 1", or an error when it could not be started. */
  readonly exited: Promise<string | AcpError>;
  private readonly child: GroupProcess;
  private readonly group: MarkedGroup | undefined;
  private readonly words: LastWords;
  private readonly forced = new AbortController();

  constructor(spec: AgentSpec, leash: Leash, onStderr: (line: string) => void, words = new LastWords()) {
    const mark = randomUUID();
    this.child = start(spec, mark);
    this.stdin = this.child.stdin;
    this.stdout = this.child.stdout;
    this.words = words;
    this.keepStderr(onStderr);
    const { pid } = this.child;
    this.group = pid === undefined ? undefined : new MarkedGroup(pid, `${markName}=${mark}`, leash);
    this.exited = new Promise((resolve) => {
      this.child.once('error', (error) => resolve(startError(spec, error)));
      this.child.once('exit', (code, signal) => {
        this.group?.leaderExited();
        resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`);
      });
    });
    // Its children outlive it otherwise, and an agent that closed its output has nothing more to say.
    void Promise.race([this.exited, ended(this.stdout)]).then(() => this.end());
  }

  /** Like `exited`, but after what it wrote last was read, unless a child of its keeps the pipe open. */
  async gone(): Promise<string | AcpError> {
    const reason = await this.exited;
    const isRead = Promise.all([ended(this.stdout), ended(this.child.stderr)]);
    await within(drainMs, isRead);
    return reason;
  }

  /** The last lines the agent wrote to stderr before its end. */
  lastWords(count: number): readonly string[] {
    return this.words.last(count);
  }

  /** Ends the program and everything that it started: EOF and time to end in order, then SIGTERM, then SIGKILL. */
  readonly end = once(async () => {
    if (!this.group) return;
    this.stdin.end();
    await within(orderlyEndMs, this.exited, this.forced.signal);
    if (!(await this.group.endBy('SIGTERM', termMs))) await this.group.endBy('SIGKILL', killMs);
    await this.exited;
    this.group.release();
  });

  /** The same without time to end in order. */
  async kill(): Promise<void> {
    this.forced.abort();
    await this.end();
  }

  private keepStderr(onStderr: (line: string) => void): void {
    const onLine = (line: string) => {
      this.words.add(line);
      onStderr(line);
    };
    const lines = new LineSplitter({ onLine, onOverflow: () => undefined }, 64 * 1024);
    this.child.stderr.on('data', (chunk: Buffer) => lines.push(chunk));
    this.child.stderr.once('end', () => {
      const rest = lines.end();
      if (rest !== '') onLine(rest);
    });
  }
}

// Some failures are thrown, others come as an event.
function start(spec: AgentSpec, mark: string): GroupProcess {
  const [command = '', ...args] = spec.command;
  const env = { ...process.env, ...spec.env, [markName]: mark };
  try {
    return spawnGroup({ command, args, cwd: spec.cwd, env });
  } catch (error) {
    throw startError(spec, error as NodeJS.ErrnoException);
  }
}

function ended(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.readableEnded) resolve();
    else stream.once('end', resolve).once('close', resolve);
  });
}

/** Settles with the promise, or earlier when the time is over or the signal fires. */
async function within(ms: number, promise: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  await new Promise<unknown>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    if (signal?.aborted) resolve(undefined);
    signal?.addEventListener('abort', resolve, { once: true });
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function startError(spec: AgentSpec, error: NodeJS.ErrnoException): AcpError {
  const command = spec.command[0] ?? '';
  if (!existsSync(spec.cwd)) {
    return new AcpError(
      'agent_missing',
      `${spec.name} could not be started: there is no folder ${spec.cwd}.`,
      {
        hint: 'Change to a folder that exists with :cd, then :AcpRestart.',
      },
    );
  }
  if (error.code !== 'ENOENT') {
    return new AcpError('agent_missing', `${spec.name} could not be started: ${error.message}`, {
      cause: error,
      hint: `Check the command of agents.${spec.name}: ${spec.command.join(' ')}`,
    });
  }
  return new AcpError('agent_missing', `${spec.name} is not installed: "${command}" was not found.`, {
    cause: error,
    hint: `${spec.install ?? `Put it on PATH or set agents.${spec.name}.command`}, then :AcpRestart.`,
  });
}
