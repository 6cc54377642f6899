import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { once } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { AgentSpec } from '../ports/agent.ts';
import { type GroupProcess, type Leash, signalGroup, spawnGroup } from '../processes.ts';
import { LineSplitter } from './line-splitter.ts';

// Neovim gives us two seconds when it quits, so the steps of ending an agent fit into less.
const graceMs = 800;
const termMs = 600;
const killMs = 100;
const pollMs = 20;
const drainMs = 300;
const stderrLines = 40;

/** The program of an agent, its pipes and its end. */
export class AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with a sentence's end such as "exited with code 1", or an error when it could not be started. */
  readonly exited: Promise<string | AcpError>;
  private readonly child: GroupProcess;
  private readonly leash: Leash;
  private readonly stderr: string[] = [];

  constructor(spec: AgentSpec, leash: Leash, onStderr: (line: string) => void) {
    this.leash = leash;
    this.child = start(spec);
    this.stdin = this.child.stdin;
    this.stdout = this.child.stdout;
    this.keepStderr(onStderr);
    if (this.child.pid !== undefined) leash.hold(this.child.pid);
    this.exited = new Promise((resolve) => {
      this.child.once('error', (error) => resolve(startError(spec, error)));
      this.child.once('exit', (code, signal) =>
        resolve(signal ? `was ended by ${signal}` : `exited with code ${code}`),
      );
    });
    // Its children outlive it otherwise, and an agent that closed its output has nothing more to say.
    void Promise.race([this.exited, ended(this.stdout)]).then(() => this.end());
  }

  /** Like `exited`, but after what it wrote last was read, unless a child of its keeps the pipe open. */
  async gone(): Promise<string | AcpError> {
    const reason = await this.exited;
    const isRead = Promise.all([ended(this.stdout), ended(this.child.stderr)]);
    await Promise.race([isRead, delay(drainMs)]);
    return reason;
  }

  /** The last lines the agent wrote to stderr: the best explanation of its death there is. */
  lastWords(count: number): readonly string[] {
    return this.stderr.filter((line) => line.trim() !== '').slice(-count);
  }

  /** Ends the program and everything in its group: EOF, then SIGTERM, then SIGKILL. */
  readonly end = once(async () => {
    const pid = this.child.pid;
    if (pid === undefined) return;
    this.stdin.end();
    await Promise.race([this.exited, delay(graceMs)]);
    if (signalGroup(pid, 'SIGTERM') && !(await groupEnds(pid, termMs))) {
      signalGroup(pid, 'SIGKILL');
      await groupEnds(pid, killMs);
    }
    await this.exited;
    this.leash.release(pid);
  });

  private keepStderr(onStderr: (line: string) => void): void {
    const onLine = (line: string) => {
      if (this.stderr.push(line) > stderrLines) this.stderr.shift();
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
function start(spec: AgentSpec): GroupProcess {
  const [command = '', ...args] = spec.command;
  try {
    return spawnGroup({ command, args, cwd: spec.cwd, env: { ...process.env, ...spec.env } });
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

async function groupEnds(pid: number, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += pollMs) {
    if (!signalGroup(pid, 0)) return true;
    await delay(pollMs);
  }
  return false;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
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
