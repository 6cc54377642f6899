import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  addWorktree,
  commitAll,
  mergeBack,
  removeWorktree,
  worktreeState,
} from '../../../src/workspace/worktrees.ts';
import { aFolder } from '../../support/system/temp.ts';

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', args, { cwd, stdio: 'pipe' }).toString().trim();

async function aWorktree() {
  const folder = fs.realpathSync(aFolder());
  const main = path.join(folder, 'main');
  fs.mkdirSync(main);
  git(main, 'init', '-q', '-b', 'trunk');
  git(main, 'config', 'user.name', 'Me');
  git(main, 'config', 'user.email', 'me@example.org');
  fs.writeFileSync(path.join(main, 'a.txt'), 'one\n');
  fs.writeFileSync(path.join(main, '.gitignore'), 'ignored\n');
  git(main, 'add', '.');
  git(main, 'commit', '-q', '-m', 'first');
  const tree = path.join(folder, 'trees', 'one');
  await addWorktree(main, tree, 'acp/one');
  const write = (file: string, text: string) => fs.writeFileSync(path.join(tree, file), text);
  return { main, tree, write };
}

describe('a worktree of a session', () => {
  it('has a branch of its own at the last commit of the user', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    write('new file.txt', 'new\n');
    expect(await worktreeState(tree)).toEqual({
      ...{ folder: tree, branch: 'acp/one', main, mainBranch: 'trunk' },
      ...{ uncommitted: ['a.txt', 'new file.txt'], commits: 0, changed: 0 },
    });
    expect(fs.readFileSync(path.join(main, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('is merged into what the user has checked out, and then removed with its branch', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    await commitAll(tree, 'Title');
    fs.writeFileSync(path.join(main, 'mine.txt'), 'not committed\n');
    const state = await worktreeState(tree);
    expect(state).toMatchObject({ uncommitted: [], commits: 1, changed: 1 });
    await mergeBack(state);
    expect(fs.readFileSync(path.join(main, 'a.txt'), 'utf8')).toBe('two\n');
    expect(fs.readFileSync(path.join(main, 'mine.txt'), 'utf8')).toBe('not committed\n');
    expect(git(main, 'reflog', '-1')).toContain('acp/one');
    expect(await removeWorktree(state)).toEqual({ isBranchKept: false });
    expect(fs.existsSync(tree)).toBe(false);
    expect(git(main, 'branch', '--list', 'acp/*')).toBe('');
  });

  it('does not overwrite what the user has not committed', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    await commitAll(tree, 'Title');
    fs.writeFileSync(path.join(main, 'a.txt'), 'mine\n');
    await expect(mergeBack(await worktreeState(tree))).rejects.toThrow(
      'a.txt is not committed; nothing was changed, merge acp/one by hand',
    );
    expect(fs.readFileSync(path.join(main, 'a.txt'), 'utf8')).toBe('mine\n');
    expect(git(main, 'status', '--porcelain')).toBe('M a.txt');
  });

  it('leaves no half of a merge with conflicts', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    await commitAll(tree, 'Title');
    fs.writeFileSync(path.join(main, 'a.txt'), 'three\n');
    git(main, 'commit', '-q', '-am', 'mine');
    await expect(mergeBack(await worktreeState(tree))).rejects.toThrow(
      'conflicts in a.txt; nothing was changed',
    );
    expect(git(main, 'status', '--porcelain')).toBe('');
    expect(fs.readFileSync(path.join(main, 'a.txt'), 'utf8')).toBe('three\n');
  });

  it('leaves a merge of the user as it is', async () => {
    const { main, tree, write } = await aWorktree();
    write('new.txt', 'new\n');
    await commitAll(tree, 'Title');
    git(main, 'checkout', '-q', '-b', 'other');
    fs.writeFileSync(path.join(main, 'a.txt'), 'other\n');
    git(main, 'commit', '-q', '-am', 'other');
    git(main, 'checkout', '-q', 'trunk');
    fs.writeFileSync(path.join(main, 'a.txt'), 'three\n');
    git(main, 'commit', '-q', '-am', 'mine');
    expect(() => git(main, 'merge', '-q', 'other')).toThrow();
    fs.writeFileSync(path.join(main, 'a.txt'), 'solved\n');
    await expect(mergeBack(await worktreeState(tree))).rejects.toThrow('in the middle of a merge');
    expect(fs.readFileSync(path.join(main, 'a.txt'), 'utf8')).toBe('solved\n');
    expect(git(main, 'rev-parse', 'MERGE_HEAD')).toBe(git(main, 'rev-parse', 'other'));
  });

  it('is not merged from a branch whose name git takes for an option', async () => {
    const { main, tree } = await aWorktree();
    git(main, 'commit', '-q', '--allow-empty', '-m', 'not shown');
    git(main, 'branch', 'other');
    git(main, 'reset', '-q', '--hard', 'HEAD~');
    git(main, 'branch', '-q', '--set-upstream-to=other');
    git(tree, 'update-ref', 'refs/heads/--ff', 'HEAD');
    git(tree, 'symbolic-ref', 'HEAD', 'refs/heads/--ff');
    await expect(worktreeState(tree).then(mergeBack)).rejects.toThrow('"--ff"');
    expect(git(main, 'log', '-1', '--format=%s')).toBe('first');
  });

  it('is not removed with something uncommitted, and keeps a branch that is not merged', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    await expect(removeWorktree(await worktreeState(tree))).rejects.toThrow(/modified or untracked/);
    await commitAll(tree, 'Title');
    expect(await removeWorktree(await worktreeState(tree))).toEqual({ isBranchKept: true });
    expect(git(main, 'show', 'acp/one:a.txt')).toBe('two');
  });

  it('runs no hook of the repository', async () => {
    const { main, tree, write } = await aWorktree();
    for (const hook of ['pre-commit', 'post-commit', 'post-merge', 'post-checkout']) {
      const file = path.join(main, '.git', 'hooks', hook);
      fs.writeFileSync(file, `#!/bin/sh\ntouch ${path.join(main, '..', 'ran')}\n`, { mode: 0o755 });
    }
    write('a.txt', 'two\n');
    await commitAll(tree, 'Title');
    await mergeBack(await worktreeState(tree));
    expect(fs.existsSync(path.join(main, '..', 'ran'))).toBe(false);
  });

  it('needs a repository with a commit', async () => {
    const folder = aFolder();
    await expect(addWorktree(folder, path.join(folder, 't'), 'acp/x')).rejects.toThrow('has no worktrees');
  });
});
