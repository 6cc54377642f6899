import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { worktreeState } from '../../../src/workspace/worktrees/worktree-state.ts';
import { addWorktree, mergeWorktree, removeWorktree } from '../../../src/workspace/worktrees/worktrees.ts';
import { aFolder } from './temp.ts';

export const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', args, { cwd, stdio: 'pipe' }).toString().trim();

/** A repository with the branch `trunk` and one commit. */
export function aRepository(format = 'sha1'): string {
  const main = path.join(fs.realpathSync(aFolder()), 'main');
  fs.mkdirSync(main);
  git(main, 'init', '-q', '-b', 'trunk', `--object-format=${format}`);
  git(main, 'config', 'user.name', 'Me');
  git(main, 'config', 'user.email', 'me@example.org');
  fs.writeFileSync(path.join(main, 'a.txt'), 'one\n');
  fs.writeFileSync(path.join(main, '.gitignore'), 'ignored\n');
  git(main, 'add', '.');
  git(main, 'commit', '-q', '-m', 'first');
  return main;
}

/** A worktree on the branch `acp/one` that was made from a folder. */
export async function aWorktreeOf(main: string) {
  const tree = path.join(fs.realpathSync(aFolder()), 'trees', 'one');
  await addWorktree(main, tree, 'acp/one');
  const write = (file: string, text: string) => fs.writeFileSync(path.join(tree, file), text);
  return { main, tree, write };
}

export const aWorktree = () => aWorktreeOf(aRepository());

export const merge = async (tree: string) => mergeWorktree(await worktreeState(tree), 'Title');

export const remove = async (tree: string) => removeWorktree(await worktreeState(tree), 'Title');

export const textOf = (...names: readonly string[]) => fs.readFileSync(path.join(...names), 'utf8');

/** A commit that changes a file. */
export function commitTo(folder: string, file: string, text: string): void {
  fs.writeFileSync(path.join(folder, file), text);
  git(folder, 'add', file);
  git(folder, 'commit', '-q', '-m', `change ${file}`);
}
