import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { once } from '../base.ts';
import { MarkedGroup } from '../marked-group.ts';
import type { ExitStatus, Pty, PtyLauncher, PtyProgram, TerminalSize } from '../ports/terminals.ts';
import type { Leash } from '../processes.ts';
import { readToTheEnd } from './pty-drain.ts';

const termMs = 800;
const killMs = 500;

/** Stands in the environment of everything that runs in a terminal of ours. */
export const markName = 'ACP_TERMINAL';

// Its own types are for the name it has without our alias.
interface NodePty {
  spawn(file: string, args: readonly string[], options: object): NodePtyProcess;
}

interface NodePtyProcess {
  readonly pid: number;
  onData(listener: (bytes: Buffer) => void): void;
  once(event: string, listener: (...args: never[]) => void): void;
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): void;
  write(text: string): void;
  resize(columns: number, rows: number): void;
}

/** Terminals by node-pty, which is loaded when the first is opened. */
export class NodePtyLauncher implements PtyLauncher {
  private readonly leash: Leash;
  private readonly require: NodeJS.Require;
  private readonly name = randomUUID();
  private count = 0;

  /** `place` is where the package is looked for. */
  constructor(leash: Leash, place: string | URL = import.meta.url) {
    this.leash = leash;
    this.require = createRequire(place);
  }

  get isAvailable(): boolean {
    return this.lookFor();
  }

  open(program: PtyProgram): Pty {
    const { spawn } = this.require('node-pty') as NodePty;
    this.count += 1;
    const mark = `${markName}=${this.name}.${this.count}.`;
    return new PtyProcess(spawn, program, mark, this.leash);
  }

  // Loading takes some ten milliseconds that nobody needs who runs no command; looking for the file takes one.
  private readonly lookFor = once(() => {
    const binary = process.platform === 'win32' ? 'conpty.node' : 'pty.node';
    try {
      const entry = this.require.resolve('node-pty');
      createRequire(path.resolve(entry)).resolve(
        `@lydell/node-pty-${process.platform}-${process.arch}/${binary}`,
      );
      return true;
    } catch {
      return false;
    }
  });
}

class PtyProcess implements Pty {
  readonly exited: Promise<ExitStatus>;
  readonly over: Promise<void>;
  private tellOver!: () => void;
  private readonly group: MarkedGroup;
  private readonly pty: NodePtyProcess;
  private hasExited = false;

  constructor(spawn: NodePty['spawn'], program: PtyProgram, mark: string, leash: Leash) {
    const { file, args, cwd, columns: cols, rows, onOutput } = program;
    const [name = '', value = ''] = mark.split('=');
    const env = { ...program.env, [name]: value };
    // Without an encoding it gives bytes.
    this.pty = spawn(file, [...args], { cwd, env, cols, rows, name: env.TERM ?? 'xterm', encoding: null });
    this.pty.onData(onOutput);
    readToTheEnd(this.pty);
    this.group = new MarkedGroup(this.pty.pid, mark, leash);
    this.over = new Promise((resolve) => {
      this.tellOver = resolve;
    });
    this.exited = new Promise((resolve) => {
      this.pty.onExit(({ exitCode, signal }) => {
        this.hasExited = true;
        this.group.leaderExited();
        void this.letGo();
        resolve(
          signal ? { code: undefined, signal: signalName(signal) } : { code: exitCode, signal: undefined },
        );
      });
    });
  }

  write(text: string): void {
    if (!this.hasExited) this.pty.write(text);
  }

  resize({ columns, rows }: TerminalSize): void {
    if (!this.hasExited) this.pty.resize(Math.max(1, columns), Math.max(1, rows));
  }

  async end(): Promise<void> {
    if (!(await this.group.endBy('SIGTERM', termMs))) await this.group.endBy('SIGKILL', killMs);
    this.release();
  }

  // What goes on in the background stays on the leash.
  private async letGo(): Promise<void> {
    if (await this.group.isEmpty()) this.release();
  }

  private release(): void {
    this.group.release();
    this.tellOver();
  }
}

function signalName(number: number): string {
  const [name] = Object.entries(os.constants.signals).find(([, value]) => value === number) ?? [];
  return name ?? `signal ${number}`;
}
