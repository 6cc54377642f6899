import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { AcpError } from '../../../base/errors.ts';
import { once } from '../../../base/once.ts';
import { settledWithin } from '../../../base/timeout.ts';
import type { AgentSpec } from '../../../ports/agent.ts';
import { findProgram } from '../../../system/find-program.ts';
import { MarkedGroup } from '../../../system/marked-group.ts';
import { gracefulExitMs, type OrphanGuard } from '../../../system/orphan-guard.ts';
import { type GroupProcess, spawnGroup } from '../../../system/process-group.ts';
import { titleOf } from '../transport.ts';
import { LineSplitter } from './line-splitter.ts';
import { RecentStderr } from './recent-stderr.ts';

const agentTermMs = 1_000;
const agentKillMs = 500;
const drainMs = 300;

/** An environment variable that marks the agent and every process it starts. */
const agentMarkName = 'ACP_AGENT';

/** The process of an agent. */
export class AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with text such as "exited with code 1", or with an error if the program could not be started. */
  readonly exited: Promise<string | AcpError>;
  private readonly child: GroupProcess;
  private readonly group: MarkedGroup | undefined;
  private readonly recentStderr: RecentStderr;
  private readonly forced = new AbortController();
  /** What the agent closed while it ran, so that it can no longer be used. */
  private closedPipe: 'input' | 'output' | undefined;
  private isSignalled = false;

  constructor(
    spec: AgentSpec,
    orphanGuard: OrphanGuard,
    onStderr: (line: string) => void,
    recentStderr = new RecentStderr(),
  ) {
    const mark = randomUUID();
    this.child = spawnAgent(spec, mark);
    this.stdin = this.child.stdin;
    this.stdout = this.child.stdout;
    this.recentStderr = recentStderr;
    this.keepStderr(onStderr);
    const { pid } = this.child;
    this.group =
      pid === undefined ? undefined : new MarkedGroup(pid, `${agentMarkName}=${mark}`, orphanGuard);
    this.exited = new Promise((resolve) => {
      this.child.once('error', (error) => resolve(startError(spec, error)));
      this.child.once('exit', (code, signal) => {
        this.group?.noteLeaderExit();
        resolve(this.describeExit(code, signal));
      });
    });
    // Also ends the children of an agent that exited. Not awaited here: the owner of this process awaits the same `end`.
    void this.exited.then(() => this.end());
    // It never rejects.
    void streamEnd(this.stdout).then(() => this.endWithout('output'));
    this.stdin.once('error', () => this.endWithout('input'));
  }

  /** Like `exited`, but after its last output was read, unless a child process keeps the pipes open. */
  async gone(): Promise<string | AcpError> {
    const reason = await this.exited;
    const isRead = Promise.all([streamEnd(this.stdout), streamEnd(this.child.stderr)]);
    await settledWithin(drainMs, isRead);
    return reason;
  }

  /** The last lines on stderr before the exit. */
  lastStderr(count: number): readonly string[] {
    return this.recentStderr.last(count);
  }

  /** Ends the program and every process it started: EOF and time for an orderly exit, then SIGTERM, then SIGKILL. */
  readonly end = once(async () => {
    if (!this.group) return;
    this.stdin.end();
    await settledWithin(gracefulExitMs, this.exited, this.forced.signal);
    this.isSignalled = true;
    if (!(await this.group.signalAndWait('SIGTERM', agentTermMs)))
      await this.group.signalAndWait('SIGKILL', agentKillMs);
    await this.exited;
    this.group.release();
  });

  /** Like `end`, but without time for an orderly exit. */
  async kill(): Promise<void> {
    this.forced.abort();
    await this.end();
  }

  private endWithout(pipe: 'input' | 'output'): void {
    this.closedPipe ??= pipe;
    // The owner of this process awaits the same `end`.
    void this.end();
  }

  // An agent that was ended because it closed a pipe did not die by the signal of somebody else.
  private describeExit(code: number | null, signal: NodeJS.Signals | null): string {
    if (this.closedPipe && this.isSignalled) return `closed its ${this.closedPipe} and was ended`;
    return signal ? `was killed by ${signal}` : `exited with code ${code}`;
  }

  private keepStderr(onStderr: (line: string) => void): void {
    const onLine = (line: string) => {
      this.recentStderr.add(line);
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

// spawn throws some failures and emits others as events.
function spawnAgent(spec: AgentSpec, mark: string): GroupProcess {
  const [command = '', ...args] = spec.command;
  const env = { ...process.env, ...spec.env, [agentMarkName]: mark };
  try {
    return spawnGroup({ command, args, cwd: spec.cwd, env });
  } catch (error) {
    throw startError(spec, error as NodeJS.ErrnoException);
  }
}

function streamEnd(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.readableEnded) resolve();
    else stream.once('end', resolve).once('close', resolve);
  });
}

function startError(spec: AgentSpec, error: NodeJS.ErrnoException): AcpError {
  const command = spec.command[0] ?? '';
  if (!existsSync(spec.cwd)) {
    return new AcpError(
      'agent_missing',
      `${titleOf(spec)} could not be started: folder ${spec.cwd} does not exist.`,
      {
        hint: 'Change to a folder that exists with :cd, then :AcpRestart.',
      },
    );
  }
  if (error.code !== 'ENOENT') {
    return new AcpError('agent_missing', `${titleOf(spec)} could not be started: ${error.message}`, {
      cause: error,
      hint:
        error.code === 'EMFILE'
          ? 'Raise the limit of open files (ulimit -n) and start Neovim again.'
          : `Check the command of agents.${spec.name}: ${spec.command.join(' ')}`,
    });
  }
  return new AcpError('agent_missing', `${titleOf(spec)} is not installed: "${command}" was not found.`, {
    cause: error,
    ...howToInstall(spec),
  });
}

// A command has a line of its own, so that it can be copied.
function howToInstall({ name, install, cwd }: AgentSpec): {
  readonly detail?: string[];
  readonly hint: string;
} {
  if (install === undefined)
    return { hint: `Put it on PATH or set agents.${name}.command, then :AcpRestart.` };
  const isCommand = findProgram(install.split(' ', 1)[0]!, { cwd }) !== undefined;
  return {
    detail: [install],
    hint: isCommand
      ? ':AcpAgents runs this command for you. The next prompt starts the agent.'
      : 'Then the next prompt starts the agent.',
  };
}
