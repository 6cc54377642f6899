import { type ChildProcess, spawn } from 'node:child_process';
import type { Disposable } from '../base/disposable.ts';
import { text as guardScript } from './orphan-guard.sh';

/** How long an agent may take to exit after EOF on its stdin. Some need two seconds to stop their own children. */
export const gracefulExitMs = 3_000;
const roundMs = 100;

/** Windows has no process groups: agents of a killed host see EOF on stdin there and have to exit by themselves. */
export const hasOrphanGuard = process.platform !== 'win32';

/**
 * Ends the process groups that this process started, and removes its temporary files, when it dies without cleaning up,
 * for example by `kill -9`. It removes what private sessions have left when Neovim has died too. A small shell waits for the
 * end of a pipe that only this process holds open; `orphan-guard.sh` is its program.
 */
export class OrphanGuard implements Disposable {
  private shell: ChildProcess | undefined;
  private readonly marks = new Map<number, string>();
  private readonly files = new Set<string>();
  private readonly folders = new Set<string>();
  private readonly neovim: number | undefined;

  /**
   * With the pid of Neovim, which must be the parent of this process, the shell also kills this process if it is stopped
   * or hangs when Neovim has died. The shell starts with the first process group, and stays.
   */
  constructor(neovim?: number) {
    this.neovim = neovim;
  }

  /** `mark` (VARIABLE=value) is in the environment of every process of the group, also of those that left the group. */
  add(pid: number, mark: string): void {
    if (!hasOrphanGuard) return;
    this.marks.set(pid, mark);
    if (this.shell) this.tell(`+ ${pid} ${mark}`);
    else this.startShell();
  }

  remove(pid: number): void {
    const mark = this.marks.get(pid);
    if (mark === undefined) return;
    this.marks.delete(pid);
    this.tell(`- ${pid} ${mark}`);
    if (this.marks.size + this.files.size === 0 && this.neovim === undefined) this.dispose();
  }

  /** Nobody else may ever have a file at this path. */
  addFile(file: string): void {
    if (!hasOrphanGuard) return;
    const encoded = encodePath(file);
    this.files.add(encoded);
    if (this.shell) this.tell(`+file ${encoded}`);
    else this.startShell();
  }

  // The shell stays for the next file: starting it may take longer than writing the file.
  removeFile(file: string): void {
    const encoded = encodePath(file);
    if (this.files.delete(encoded)) this.tell(`-file ${encoded}`);
  }

  /** A folder that nobody needs when both this process and Neovim have died. */
  addFolder(folder: string): void {
    const encoded = encodePath(folder);
    if (!hasOrphanGuard || this.neovim === undefined || this.folders.has(encoded)) return;
    this.folders.add(encoded);
    if (this.shell) this.tell(`+folder ${encoded}`);
    else this.startShell();
  }

  /** Everything was ended and removed. */
  dispose(): void {
    this.tell('-folders');
    this.shell?.stdin?.end();
    this.shell = undefined;
  }

  private startShell(): void {
    const shell = startShell(this.neovim);
    this.shell = shell;
    for (const [pid, mark] of this.marks) this.tell(`+ ${pid} ${mark}`);
    for (const file of this.files) this.tell(`+file ${file}`);
    for (const folder of this.folders) this.tell(`+folder ${folder}`);
    const forget = (signal?: NodeJS.Signals | null) => {
      if (this.shell !== shell) return;
      this.shell = undefined;
      // A shell that exits by itself can't run here: it would be started again and again.
      if (signal) this.startShell();
    };
    // Without the shell only a killed host leaves orphans; the host still ends every group when it exits normally.
    shell.on('error', () => forget());
    shell.on('exit', (_code, signal) => forget(signal));
  }

  private tell(line: string): void {
    this.shell?.stdin?.write(`${line}\n`);
  }
}

/** A path in characters that no shell interprets: other bytes are %0 and three octal digits. */
function encodePath(file: string): string {
  return Buffer.from(file)
    .toString('latin1')
    .replaceAll(/[^\w/.-]/g, (byte) => `%0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function startShell(neovim: number | undefined): ChildProcess {
  const pids = neovim === undefined ? [] : [neovim, process.pid];
  const args = ['-c', guardScript, 'orphan-guard', ...[gracefulExitMs / roundMs, ...pids].map(String)];
  const shell = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.stdin?.on('error', () => undefined);
  shell.unref();
  return shell;
}
