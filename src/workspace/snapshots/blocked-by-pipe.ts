import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs/promises';

const intervalMs = 100;
/** In a row; a writer may come a moment later. */
const looks = 3;
const ended = new WeakSet<ChildProcess>();

/**
 * Ends a process that waits for somebody to write to a named pipe: one in the place of a file such as .gitignore blocks
 * git for ever. Only Linux tells what a process waits for.
 */
export function endIfBlockedByPipe(child: ChildProcess): void {
  let seen = 0;
  const timer = setInterval(async () => {
    seen = (await waitsForWriter(child.pid)) ? seen + 1 : 0;
    if (seen < looks) return;
    ended.add(child);
    child.kill();
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
