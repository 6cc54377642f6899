import fs from 'node:fs';

/**
 * The processes that carry a mark in their environment, wherever they went: into a session of their own, or to another
 * parent. Only Linux lets us look; elsewhere, and for one that threw its environment away, there is only the group.
 */
export async function straysWith(mark: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const names = await fs.promises.readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const found = await Promise.all(pids.map((pid) => carries(pid, mark)));
  return pids.filter((_, index) => found[index]);
}

/** Whether a process has the mark; one that has ended has none, and others' environments are not ours to read. */
export async function carries(pid: number, mark: string): Promise<boolean> {
  const environment = await fs.promises.readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment.includes(mark);
}
