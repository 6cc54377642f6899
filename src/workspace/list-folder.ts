import type { Dirent } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

/** More names than this help nobody to choose. */
const maxNames = 20_000;

/** The names in a folder, sorted; folders end with a slash. Empty if it can't be read. */
export async function listFolder(folder: string): Promise<readonly string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = await Promise.all(entries.slice(0, maxNames).map((entry) => nameOf(folder, entry)));
  return names.sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
}

async function nameOf(folder: string, entry: Dirent): Promise<string> {
  return (await isFolder(folder, entry)) ? `${entry.name}/` : entry.name;
}

async function isFolder(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return fs.stat(path.join(folder, entry.name)).then(
    (target) => target.isDirectory(),
    () => false,
  );
}
