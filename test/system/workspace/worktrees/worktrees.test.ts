import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { worktreeState } from '../../../../src/workspace/worktrees/worktree-state.ts';
import { addWorktree, mergeWorktree } from '../../../../src/workspace/worktrees/worktrees.ts';
import { aFolder } from '../../../support/system/temp.ts';
import {
  aRepository,
  aWorktree,
  commitTo,
  git,
  merge,
  remove,
  textOf,
} from '../../../support/system/worktree.ts';

describe('a worktree of a session', () => {
  it('has a branch of its own at the last commit of the user', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    write('new file.txt', 'new\n');
    expect(await worktreeState(tree)).toMatchObject({
      ...{ folder: tree, branch: 'acp/one', head: undefined },
      origin: { folder: main, branch: 'trunk', commit: git(main, 'rev-parse', 'HEAD') },
      ...{ uncommitted: ['a.txt', 'new file.txt'], commits: 0, changed: [] },
      ...{ mergeObstacle: undefined, removalObstacle: undefined },
    });
    expect(textOf(main, 'a.txt')).toBe('one\n');
  });

  it('is merged into what it was made from, and then removed with its branch', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    fs.writeFileSync(path.join(main, 'mine.txt'), 'not committed\n');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
    expect(textOf(main, 'mine.txt')).toBe('not committed\n');
    expect(git(main, 'reflog', '-1')).toContain('acp/one');
    expect(git(main, 'log', '-1', '--format=%s')).toBe('Title');
    expect(await remove(tree)).toEqual({ isBranchKept: false });
    expect(fs.existsSync(tree)).toBe(false);
    expect(git(main, 'branch', '--list', 'acp/*')).toBe('');
  });

  it('counts what is not merged', async () => {
    const { tree } = await aWorktree();
    commitTo(tree, 'a.txt', 'two\n');
    expect(await worktreeState(tree)).toMatchObject({ uncommitted: [], commits: 1, changed: ['a.txt'] });
  });

  it('may have files with any name, and a title that git takes for a comment', async () => {
    const { main, tree, write } = await aWorktree();
    git(main, 'config', 'commit.cleanup', 'strip');
    const names = ['--ff', 'a b', 'git~1', 'line\nbreak', 'quo"te', 'ünï'];
    for (const name of names) write(name, 'x\n');
    expect((await worktreeState(tree)).uncommitted.toSorted()).toEqual(names);
    await mergeWorktree(await worktreeState(tree), '#12 Title');
    expect(fs.readdirSync(main)).toEqual(expect.arrayContaining(names));
    expect(git(main, 'log', '-1', '--format=%s')).toBe('#12 Title');
  });

  it('leaves no half of a merge with conflicts', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    commitTo(main, 'a.txt', 'three\n');
    await expect(merge(tree)).rejects.toThrow('conflicts in a.txt; nothing was changed');
    expect(git(main, 'status', '--porcelain')).toBe('');
    expect(textOf(main, 'a.txt')).toBe('three\n');
    expect(git(main, 'show', 'acp/one:a.txt')).toBe('two');
  });

  it('keeps what was not committed on its branch when it is removed', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    expect(await remove(tree)).toEqual({ isBranchKept: true });
    expect(fs.existsSync(tree)).toBe(false);
    expect(git(main, 'show', 'acp/one:a.txt')).toBe('two');
  });

  it('runs no hook of the repository', async () => {
    const { main, tree, write } = await aWorktree();
    for (const hook of [
      'pre-commit',
      'commit-msg',
      'post-commit',
      'pre-merge-commit',
      'post-merge',
      'post-checkout',
    ]) {
      const file = path.join(main, '.git', 'hooks', hook);
      fs.writeFileSync(file, `#!/bin/sh\ntouch ${path.join(main, '..', 'ran')}\n`, { mode: 0o755 });
    }
    write('a.txt', 'two\n');
    commitTo(main, 'b.txt', 'mine\n');
    fs.rmSync(path.join(main, '..', 'ran'));
    await merge(tree);
    await remove(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
    expect(fs.existsSync(path.join(main, '..', 'ran'))).toBe(false);
  });

  it('needs a repository with a commit', async () => {
    const folder = aFolder();
    await expect(addWorktree(folder, path.join(folder, 't'), 'acp/x')).rejects.toThrow('has no worktrees');
  });

  it('takes no branch of the user that has its name', async () => {
    const main = aRepository();
    git(main, 'branch', 'acp/x');
    const folder = path.join(aFolder(), 'tree');
    await expect(addWorktree(main, folder, 'acp/x')).rejects.toThrow("'acp/x' already exists");
    expect(git(main, 'branch', '--list', 'acp/x')).toContain('acp/x');
    expect(fs.existsSync(folder)).toBe(false);
  });
});
