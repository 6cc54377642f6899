import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readBranch } from '../../../src/workspace/git-branch.ts';
import { aFolder } from '../../support/system/temp.ts';

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd,
    stdio: 'pipe',
  }).toString();

it('readBranch reads the branch of a repository, of a folder in it, and of a worktree', async () => {
  const folder = path.join(aFolder(), 'repository');
  fs.mkdirSync(path.join(folder, 'below'), { recursive: true });
  expect(await readBranch(folder)).toBeUndefined();
  git(folder, 'init', '-q', '-b', 'feat/one');
  expect(await readBranch(path.join(folder, 'below'))).toBe('feat/one');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
  const tree = path.join(folder, '..', 'tree');
  git(folder, 'worktree', 'add', '-q', '-b', 'other', tree);
  expect(await readBranch(tree)).toBe('other');
  git(tree, 'checkout', '-q', '--detach');
  expect(await readBranch(tree)).toBe(git(tree, 'rev-parse', 'HEAD').slice(0, 7));
});

it.each([
  ['.git', '.git'],
  ['HEAD', '.git/HEAD'],
])('readBranch does not wait for a writer of a named pipe in place of %s', async (_, name) => {
  const folder = aFolder();
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  execFileSync('mkfifo', [path.join(folder, name)]);
  expect(await readBranch(folder)).toBeUndefined();
});
