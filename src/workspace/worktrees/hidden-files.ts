import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { git, splitAtNul } from '../snapshots/git.ts';
import { submodulesOf } from '../submodules.ts';
import { type Checkout, exists } from './checkout.ts';
import { namesOf } from './user-git.ts';

/** Names below which git has a commit instead of files. */
async function linkedNames(folder: string): Promise<readonly string[]> {
  const entries = await namesOf(folder, 'ls-files', '-z', '--stage');
  return entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.split('\t')[1]!);
}

/**
 * Repositories inside of a work tree, also in what git ignores: their files and commits are in no commit of the work
 * tree.
 */
export async function nestedRepositories(folder: string): Promise<readonly string[]> {
  const [links, untracked] = await Promise.all([
    linkedNames(folder),
    namesOf(folder, 'ls-files', '-z', '--others'),
  ]);
  const isThere = await Promise.all(links.map((name) => exists(path.join(folder, name, '.git'))));
  return [
    ...links.filter((_, index) => isThere[index]),
    // Git lists no file of a repository that it does not track.
    ...untracked.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1)),
  ].sort();
}

/** Repositories of which a merge would take an empty folder: no `.gitmodules` says where their commits are. */
export async function unregisteredRepositories(
  { folder, uncommitted }: Checkout,
  into: string,
): Promise<readonly string[]> {
  const [links, submodules] = await Promise.all([linkedNames(folder), submodulesOf(folder)]);
  const added = uncommitted.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
  const isLink = async (name: string) =>
    (await namesOf(folder, 'ls-tree', '-z', into, '--', name)).some((entry) => entry.startsWith('160000 '));
  const isKnown = await Promise.all(links.map(isLink));
  const isThere = await Promise.all(links.map((name) => exists(path.join(folder, name))));
  const isNew = (name: string, index: number) => isThere[index] && !isKnown[index] && !submodules.has(name);
  return [...links.filter(isNew), ...added].sort();
}

export interface HiddenChange {
  readonly name: string;
  /** The option of `git update-index` that hides it. */
  readonly flag: 'skip-worktree' | 'assume-unchanged';
}

/** Changed files that git was told not to look at. */
export async function hiddenChanges({ folder, gitFolder }: Checkout): Promise<readonly HiddenChange[]> {
  const flagged: HiddenChange[] = (await namesOf(folder, 'ls-files', '-z', '-v'))
    .filter((entry) => /^[a-zS] /.test(entry))
    .map((entry) => ({
      name: entry.slice(2),
      flag: /^s/i.test(entry) ? 'skip-worktree' : 'assume-unchanged',
    }));
  const there: HiddenChange[] = [];
  // With a sparse checkout most of them are not there.
  for (const each of flagged) if (await exists(path.join(folder, each.name))) there.push(each);
  if (there.length === 0) return [];
  const changed = await changedAmong(
    there.map(({ name }) => name),
    folder,
    gitFolder,
  );
  return there.filter(({ name }) => changed.has(name));
}

// In a copy of the index, git is told to look at them.
async function changedAmong(
  names: readonly string[],
  folder: string,
  gitFolder: string,
): Promise<ReadonlySet<string>> {
  const place = await fs.mkdtemp(path.join(os.tmpdir(), 'acp-index-'));
  try {
    const index = path.join(place, 'index');
    await fs.copyFile(path.join(gitFolder, 'index'), index);
    const options = { cwd: folder, env: { GIT_INDEX_FILE: index }, isUsers: true };
    const input = names.map((name) => `${name}\0`).join('');
    for (const flag of ['--no-assume-unchanged', '--no-skip-worktree'])
      await git(['update-index', flag, '-z', '--stdin'], { ...options, input });
    const args = ['diff-files', '--name-only', '-z', '--no-ext-diff', '--ignore-submodules'];
    return new Set(splitAtNul(await git(args, options)));
  } finally {
    await fs.rm(place, { recursive: true, force: true });
  }
}
