import fs from 'node:fs';

/** The kernel rounds times, and the clock may have been set since. */
const clockErrorMs = 60_000;
/** Of `/proc/<pid>/stat`, on every processor. */
const ticksPerSecond = 100;
const startField = 19;

/** Journals are named by time, process id of their Neovim, and chat. */
export function pidInName(name: string): number | undefined {
  const pid = Number(/-(\d+)-\d+(?:\.(?:jsonl|draft))?$/.exec(name)?.[1] ?? 0);
  return pid === 0 ? undefined : pid;
}

/** Whether a file belongs to another Neovim that runs. `pid` is the one of this Neovim. */
export function isOfOtherNeovim(file: string, pid: number): boolean {
  const owner = pidInName(file);
  if (owner === undefined || owner === pid || !isOfRunningNeovim(file)) return false;
  const writtenAt = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const startedAt = startOf(owner);
  // A Neovim writes its files after it was started.
  return writtenAt === undefined || startedAt === undefined || startedAt < writtenAt + clockErrorMs;
}

/** When a process was started, in milliseconds; undefined if this system does not say so in `/proc`. */
function startOf(pid: number): number | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.replace(/^.*\) /s, '').split(' ');
    const boot = /^btime (\d+)$/m.exec(fs.readFileSync('/proc/stat', 'latin1'))?.[1];
    const start = 1_000 * (Number(boot) + Number(fields[startField]) / ticksPerSecond);
    return Number.isNaN(start) ? undefined : start;
  } catch {
    return undefined;
  }
}

/** Whether the Neovim of a journal runs, or a process that got its id meanwhile. */
export function isOfRunningNeovim(name: string): boolean {
  const pid = pidInName(name);
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
