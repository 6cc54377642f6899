import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs/promises';

const intervalMs = 1_000;
const ended = new WeakSet<ChildProcess>();

/**
 * Ends a process that waits for somebody to write to a named pipe: one in the place of a file such as .gitignore blocks
 * git for ever. Only Linux tells what a process waits for.
 */
export function endIfBlockedByPipe(child: ChildProcess): void {
  let wasBlocked = false;
  const timer = setInterval(async () => {
    const isBlocked = await waitsForWriter(child.pid);
    if (wasBlocked && isBlocked) {
      ended.add(child);
      child.kill();
    }
    wasBlocked = isBlocked;
  }, intervalMs);
  child.once('close', () => clearInterval(timer)).once('error', () => clearInterval(timer));
}

export function wasBlockedByPipe(child: ChildProcess): boolean {
  return ended.has(child);
}

async function waitsForWriter(pid: number | undefined): Promise<boolean> {
  const place = await fs.readFile(`/proc/${pid}/wchan`, 'utf8').catch(() => '');
  return place === 'wait_for_partner';
}
