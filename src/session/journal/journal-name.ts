/** Journals are named by time, process id of their Neovim, and chat. */
export function pidInName(name: string): number | undefined {
  const pid = Number(/-(\d+)-\d+(?:\.(?:jsonl|draft))?$/.exec(name)?.[1] ?? 0);
  return pid === 0 ? undefined : pid;
}

/** Whether a file belongs to another Neovim that runs. `pid` is the one of this Neovim. */
export function isOfOtherNeovim(name: string, pid: number): boolean {
  return pidInName(name) !== pid && isOfRunningNeovim(name);
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
