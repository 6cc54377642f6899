import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Disposable } from './base.ts';

const isWindows = process.platform === 'win32';
/** So long an agent may take to end after the end of its input: some take two seconds to end what they started. */
export const orderlyEndMs = 3_000;

export interface GroupOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export type GroupProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts a program as the leader of its own process group, so that ending it ends its children too. */
export function spawnGroup({ command, args, cwd, env }: GroupOptions): GroupProcess {
  return spawn(command, args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: !isWindows,
    windowsHide: true,
    // npm installs agents as .cmd files, which Windows starts through its shell only.
    shell: isWindows && !command.toLowerCase().endsWith('.exe'),
  });
}

/** Sends a signal to a group; false when nobody is left in it. */
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

/** Whether what we start ends without us too. */
export const hasLeash = !isWindows;

/**
 * Ends the groups it is told about when this process dies without a word, as by `kill -9`: a small shell that
 * waits on a pipe only we hold. Windows has no process groups; there a killed host leaves its agents to their own EOF.
 */
export class Leash implements Disposable {
  private shell: ChildProcess | undefined;
  private readonly pids = new Map<number, string>();

  /** `mark` is in the environment of all that belongs to the group, also of what has left it. */
  hold(pid: number, mark: string): void {
    if (!hasLeash) return;
    this.pids.set(pid, mark);
    this.shell ??= this.start();
    this.shell.stdin?.write(`+ ${pid} ${mark}\n`);
  }

  release(pid: number): void {
    const mark = this.pids.get(pid);
    if (mark === undefined) return;
    this.pids.delete(pid);
    this.shell?.stdin?.write(`- ${pid} ${mark}\n`);
    if (this.pids.size === 0) this.dispose();
  }

  dispose(): void {
    this.shell?.stdin?.end();
    this.shell = undefined;
  }

  private start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', leashScript], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without a shell there is no leash, and the orderly ways to end a group still work.
    shell.on('error', () => undefined);
    shell.stdin?.on('error', () => undefined);
    shell.unref();
    return shell;
  }
}

// The groups have had their EOF with our death. They get time to end in order, because some have files to close and
// programs of their own to end; what is left of them then, or has left them before, gets a second after SIGTERM.
const leashScript = `
held=" "
marks=" "
while read -r sign pid mark; do
  case $sign in
    +) held="$held$pid "; marks="$marks$mark " ;;
    -) held="\${held%% $pid *} \${held#* $pid }"; marks="\${marks%% $mark *} \${marks#* $mark }" ;;
  esac
done
has_groups() {
  for pid in $held; do kill -0 -$pid && return 0; done
  return 1
}
strays() {
  set --
  for mark in $marks; do set -- "$@" -e $mark; done
  [ $# -eq 0 ] || grep -lF "$@" /proc/[0-9]*/environ | tr -dc '0-9\\n'
}
signal_all() {
  for pid in $held; do kill -$1 -$pid; done
  for pid in $(strays); do kill -$1 $pid; done
}
turn=0
while has_groups && [ $turn -lt ${orderlyEndMs / 100} ]; do
  turn=$((turn + 1))
  sleep 0.1 || sleep 1
done
signal_all TERM
for turn in 1 2 3 4 5 6 7 8 9 10; do
  has_groups || [ -n "$(strays)" ] || exit 0
  sleep 0.1 || sleep 1
done
signal_all KILL
`;
