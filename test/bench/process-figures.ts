import fs from 'node:fs';

/** The time that all threads of a process have computed, in ms. Linux only. */
export function cpuOf(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const times = fs.readdirSync(tasks).map((task) => fs.readFileSync(`${tasks}/${task}/schedstat`, 'utf8'));
  return times.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
}

/** The memory of a process in MB. */
export function memoryOf(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
