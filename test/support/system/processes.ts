import fs from 'node:fs';
import { waitFor } from '../wait.ts';

export interface LiveProcess {
  readonly pid: number;
  readonly command: string;
}

/** True while the process runs; a zombie has ended. */
export function isAlive(pid: number): boolean {
  return statusOf(pid) !== undefined;
}

/** The pids of all living children of a process, their children included. */
export function descendants(pid: number): number[] {
  const parents = new Map(pids().map((child) => [child, statusOf(child)?.parent]));
  const found = [pid];
  for (const ancestor of found) {
    for (const [child, parent] of parents) if (parent === ancestor) found.push(child);
  }
  return found.slice(1);
}

/** Every living process, other than this one, that has the text in its environment or its command line. */
export function processesWith(marker: string): LiveProcess[] {
  return pids()
    .filter((pid) => pid !== process.pid && isAlive(pid) && carries(pid, marker))
    .map((pid) => ({ pid, command: commandOf(pid) }));
}

/** Waits until no process carries the marker; names the ones that stay. */
export async function expectNoneLeft(marker: string, timeout?: number): Promise<void> {
  // Checked twice: a process that is started while another ends may be missing in one list.
  const isNoneLeft = () => [1, 2].every(() => processesWith(marker).length === 0 && !pids().some(isStarting));
  await waitFor(isNoneLeft, {
    timeout,
    describe: () => `these processes were left behind:\n${listing(processesWith(marker))}`,
  });
}

/** Kills the processes that a failed test left. */
export function killAll(marker: string): void {
  for (const { pid } of processesWith(marker)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }
}

function listing(processes: readonly LiveProcess[]): string {
  return processes.map(({ pid, command }) => `  ${pid} ${command}`).join('\n');
}

function carries(pid: number, marker: string): boolean {
  return fact(pid, 'environ').includes(marker) || fact(pid, 'cmdline').includes(marker);
}

// While `exec` replaces its program, a process has neither an environment nor a command line to find a marker in.
function isStarting(pid: number): boolean {
  return fs.existsSync(`/proc/${pid}/exe`) && fact(pid, 'cmdline') === '' && isAlive(pid);
}

function commandOf(pid: number): string {
  return fact(pid, 'cmdline').split('\0').join(' ').trim();
}

// The name in the second field may contain blanks and parentheses.
function statusOf(pid: number): { readonly parent: number } | undefined {
  const stat = fact(pid, 'stat');
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!state || state === 'Z' || state === 'X') return undefined;
  return { parent: Number(parent) };
}

function pids(): number[] {
  return fs.readdirSync('/proc').map(Number).filter(Number.isInteger);
}

// The process may exit meanwhile, and the environment of other users is not readable.
function fact(pid: number, name: 'stat' | 'environ' | 'cmdline'): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
