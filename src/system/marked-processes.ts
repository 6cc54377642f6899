import fs from 'node:fs';
import { sleep } from '../base/timeout.ts';

const maxTries = 20;
const retryMs = 1;
/** A machine may have more processes than the host may have open files. */
const maxAtOnce = 16;

/**
 * The processes that have a mark (VARIABLE=value) in their environment, also those that moved to another process group or
 * parent. Only Linux has /proc; on other systems, and for processes that cleared their environment, only the process
 * group is known.
 */
export async function findMarkedProcesses(mark: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const names = await fs.promises.readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const marked: number[] = [];
  for (let at = 0; at < pids.length; at += maxAtOnce) {
    const some = pids.slice(at, at + maxAtOnce);
    const found = await Promise.all(some.map((pid) => hasMark(pid, mark)));
    marked.push(...some.filter((_, index) => found[index]));
  }
  return marked;
}

/** False also for processes that have exited and for those of other users, whose environment can't be read. */
export async function hasMark(pid: number, mark: string): Promise<boolean> {
  return (await environmentOf(pid)).includes(mark);
}

// A process has no environment for a moment while `exec` replaces its program.
async function environmentOf(pid: number): Promise<string> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const environment = await fs.promises.readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (environment !== '' || !(await hasProgram(pid))) return environment;
    await sleep(retryMs);
  }
  return '';
}

/** False for processes of the kernel and for those that have exited. */
function hasProgram(pid: number): Promise<boolean> {
  return fs.promises.readlink(`/proc/${pid}/exe`).then(
    () => true,
    () => false,
  );
}
