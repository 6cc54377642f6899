import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

const isWindows = process.platform === 'win32';

interface GroupOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export type GroupProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts a program as the leader of its own process group, so that ending it ends its children too. */
export function spawnGroup({ command, args, cwd, env }: GroupOptions): GroupProcess {
  return withPipes(
    spawn(command, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !isWindows,
      windowsHide: true,
      // npm installs agents as .cmd files, which Windows can only start through its shell.
      shell: isWindows && !command.toLowerCase().endsWith('.exe'),
    }),
  );
}

/** Throws if no file descriptor was left for the pipes of a process: Node.js emits that only later, as an event. */
export function withPipes<Child extends ChildProcess>(child: Child): Child {
  if (child.stdin !== undefined) return child;
  child.on('error', () => undefined);
  throw Object.assign(new Error('too many open files (EMFILE)'), { code: 'EMFILE' });
}

/** Sends a signal to a process group; false when the group is empty. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (isWindows) {
    if (signal !== 0) execFile('taskkill', ['/pid', String(pid), '/T', '/F'], () => undefined);
    return false;
  }
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
