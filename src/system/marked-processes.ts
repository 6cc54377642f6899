import fs from 'node:fs';

/**
 * The processes that have a mark (VARIABLE=value) in their environment, also those that moved to another process group or
 * parent. Only Linux has /proc; on other systems, and for processes that cleared their environment, only the process
 * group is known.
 */
export async function findMarkedProcesses(mark: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const names = await fs.promises.readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const found = await Promise.all(pids.map((pid) => hasMark(pid, mark)));
  return pids.filter((_, index) => found[index]);
}

/** False also for processes that have exited and for those of other users, whose environment can't be read. */
export async function hasMark(pid: number, mark: string): Promise<boolean> {
  const environment = await fs.promises.readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment.includes(mark);
}
