import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { once } from '../base/once.ts';
import type { ExitStatus, Pty, PtyLauncher, PtyProgram, TerminalSize } from '../ports/terminals.ts';
import { MarkedGroup } from './marked-group.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { flushBeforeClose } from './pty-flush.ts';

const termMs = 800;
const killMs = 500;

/** Environment variable of every process that runs in one of our terminals. */
const terminalMarkVariable = 'ACP_TERMINAL';

// node-pty's own types are declared for the package name without our alias.
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

/** Opens pseudo-terminals with node-pty, which is loaded with the first of them. */
export class NodePtyLauncher implements PtyLauncher {
  private readonly orphanGuard: OrphanGuard;
  private readonly require: NodeJS.Require;
  private readonly name = randomUUID();
  private count = 0;

  /** `module` is the module whose `node_modules` folders are searched for node-pty. */
  constructor(orphanGuard: OrphanGuard, module: string | URL = import.meta.url) {
    this.orphanGuard = orphanGuard;
    this.require = createRequire(module);
  }

  get isAvailable(): boolean {
    return this.hasNativeBuild();
  }

  open(program: PtyProgram): Pty {
    const { spawn } = this.require('node-pty') as NodePty;
    this.count += 1;
    const mark = `${terminalMarkVariable}=${this.name}.${this.count}.`;
    return new PtyProcess(spawn, program, mark, this.orphanGuard);
  }

  // Finding the file takes one millisecond, loading it takes ten.
  private readonly hasNativeBuild = once(() => {
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
  readonly allExited: Promise<void>;
  private resolveAllExited!: () => void;
  private readonly group: MarkedGroup;
  private readonly pty: NodePtyProcess;
  /** Its file descriptor may be used. */
  private isOpen = true;

  constructor(spawn: NodePty['spawn'], program: PtyProgram, mark: string, orphanGuard: OrphanGuard) {
    const { file, args, cwd, columns: cols, rows, onOutput } = program;
    const [name = '', value = ''] = mark.split('=');
    const env = { ...program.env, [name]: value };
    // `encoding: null` makes node-pty deliver bytes.
    this.pty = spawn(file, [...args], { cwd, env, cols, rows, name: env.TERM ?? 'xterm', encoding: null });
    flushBeforeClose(this.pty, onOutput, () => {
      this.isOpen = false;
    });
    this.group = new MarkedGroup(this.pty.pid, mark, orphanGuard);
    this.allExited = new Promise((resolve) => {
      this.resolveAllExited = resolve;
    });
    this.exited = new Promise((resolve) => {
      this.pty.onExit(({ exitCode, signal }) => {
        this.isOpen = false;
        this.group.noteLeaderExit();
        void this.releaseIfEmpty(); // `allExited` settles with it.
        resolve(
          signal ? { code: undefined, signal: signalName(signal) } : { code: exitCode, signal: undefined },
        );
      });
    });
  }

  write(text: string): void {
    if (this.isOpen) this.pty.write(text);
  }

  resize({ columns, rows }: TerminalSize): void {
    if (this.isOpen) this.pty.resize(Math.max(1, columns), Math.max(1, rows));
  }

  readonly end = once(async () => {
    const hasEnded = await this.group.signalAndWait('SIGTERM', termMs);
    if (!hasEnded) await this.group.signalAndWait('SIGKILL', killMs);
    this.release();
  });

  // Processes that the program left in the background stay registered with the orphan guard.
  private async releaseIfEmpty(): Promise<void> {
    if (await this.group.isEmpty()) this.release();
  }

  private release(): void {
    this.group.release();
    this.resolveAllExited();
  }
}

function signalName(number: number): string {
  const [name] = Object.entries(os.constants.signals).find(([, value]) => value === number) ?? [];
  return name ?? `signal ${number}`;
}
