import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { loadRegularFile } from '../../system/files/regular-file.ts';

const name = 'left';

/** Records that a session ends during a turn. Synchronous, because the process may exit immediately. */
export function noteInterruptedTurn(changesFolder: string, at: number): void {
  mkdirSync(changesFolder, { recursive: true, mode: 0o700 });
  const file = path.join(changesFolder, name);
  rmSync(file, { force: true });
  writeFileSync(file, String(at), { mode: 0o600, flag: 'wx' });
}

/** The time the session last ended, if that was during a turn. The record is removed. */
export async function takeInterruptedTurn(changesFolder: string): Promise<number | undefined> {
  const file = path.join(changesFolder, name);
  const at = await loadRegularFile(file).catch(() => undefined);
  await fs.rm(file, { force: true });
  return at === undefined ? undefined : Number(at.toString());
}

/** Whether a file was last written at that time or before; true for a missing file. */
export async function isOlder(file: string, at: number): Promise<boolean> {
  const stat = await fs.lstat(file).catch(() => undefined);
  return stat === undefined || stat.mtimeMs <= at;
}
