import { mkdirSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

const name = 'left';

/** Writes down that a session ends in the middle of its agent's work. At once, because nobody waits for us then. */
export function noteLeaving(state: string, at: number): void {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(state, name), String(at), { mode: 0o600 });
}

/** When the session ended before, if that was in the middle of its agent's work. It is told once. */
export async function takeLeaving(state: string): Promise<number | undefined> {
  const file = path.join(state, name);
  const at = await fs.readFile(file, 'utf8').catch(() => undefined);
  await fs.rm(file, { force: true });
  return at === undefined ? undefined : Number(at);
}

/** True when a file was last written at that time or before, or is gone, which has no time. */
export async function isOlder(file: string, at: number): Promise<boolean> {
  const stat = await fs.lstat(file).catch(() => undefined);
  return stat === undefined || stat.mtimeMs <= at;
}
