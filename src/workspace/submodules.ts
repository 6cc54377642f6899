import fs from 'node:fs/promises';
import path from 'node:path';
import { git, splitAtNul } from './snapshots/git.ts';

/** The folders of the submodules, relative to the folder, if it is the top of a repository. */
export async function submodulesOf(folder: string): Promise<ReadonlySet<string>> {
  const file = path.join(folder, '.gitmodules');
  try {
    await fs.access(file);
    const args = ['config', '-z', '--file', file, '--get-regexp', '^submodule\\..*\\.path$'];
    const entries = splitAtNul(await git(args, { cwd: folder }));
    const names = entries.map((entry) => path.posix.normalize(entry.slice(entry.indexOf('\n') + 1)));
    return new Set(names.filter((name) => !name.startsWith('..') && !path.isAbsolute(name)));
  } catch {
    return new Set();
  }
}
