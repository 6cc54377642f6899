import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { worktreeState } from '../../../../src/workspace/worktrees/worktree-state.ts';
import { aWorktree, commitTo, git, merge, textOf } from '../../../support/system/worktree.ts';

/** Two branches of the user that change the same line: `trunk`, which is checked out, and `other`. */
function aConflict(main: string): void {
  git(main, 'checkout', '-q', '-b', 'other');
  commitTo(main, 'b.txt', 'other\n');
  git(main, 'checkout', '-q', 'trunk');
  commitTo(main, 'b.txt', 'mine\n');
}

const nothingHappened = async (tree: string, main: string, before: string) => {
  expect((await worktreeState(tree)).uncommitted).toEqual(['a.txt']);
  expect(git(main, 'status', '--porcelain')).toBe(before);
};

describe('before anything is done, the user is told', () => {
  it.each([
    ['a merge', ['merge', '-q', 'other'], 'merge'],
    ['a rebase', ['rebase', '-q', 'other'], 'rebase'],
    ['a cherry-pick', ['cherry-pick', 'other'], 'cherry-pick'],
    ['a revert', ['revert', '--no-edit', 'HEAD~'], 'revert'],
  ])('that %s of theirs is not finished', async (_, command, operation) => {
    const { main, tree, write } = await aWorktree();
    if (operation === 'revert') {
      commitTo(main, 'b.txt', 'first\n');
      commitTo(main, 'b.txt', 'second\n');
    } else aConflict(main);
    write('a.txt', 'two\n');
    expect(() => git(main, ...command)).toThrow();
    fs.writeFileSync(path.join(main, 'b.txt'), 'solved\n');
    const before = git(main, 'status', '--porcelain');
    await expect(merge(tree)).rejects.toThrow(
      `${main} is in the middle of a ${operation}; finish or abort it there first`,
    );
    expect(textOf(main, 'b.txt')).toBe('solved\n');
    await nothingHappened(tree, main, before);
  });

  it('that they are in the middle of a bisect', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    git(main, 'bisect', 'start');
    await expect(merge(tree)).rejects.toThrow('in the middle of a bisect');
  });

  it('that there are conflicts of a stash', async () => {
    const { main, tree, write } = await aWorktree();
    commitTo(main, 'b.txt', 'one\n');
    fs.writeFileSync(path.join(main, 'b.txt'), 'stashed\n');
    git(main, 'stash', '-q');
    commitTo(main, 'b.txt', 'two\n');
    expect(() => git(main, 'stash', 'pop')).toThrow();
    write('a.txt', 'two\n');
    const before = git(main, 'status', '--porcelain');
    await expect(merge(tree)).rejects.toThrow(`b.txt in ${main} has conflicts; solve them first`);
    await nothingHappened(tree, main, before);
  });

  it('which file they have staged, unless git goes forward and leaves it staged', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    fs.writeFileSync(path.join(main, 'staged.txt'), 'mine\n');
    commitTo(main, 'b.txt', 'mine\n');
    git(main, 'add', 'staged.txt');
    await expect(merge(tree)).rejects.toThrow(
      `staged.txt is staged in ${main}; commit or unstage that first`,
    );
    await nothingHappened(tree, main, 'A  staged.txt');
    git(main, 'reset', '-q', '--soft', 'HEAD~');
    await merge(tree);
    expect(git(main, 'status', '--porcelain')).toBe('A  b.txt\nA  staged.txt');
    expect(textOf(main, 'a.txt')).toBe('two\n');
  });

  it('which of the files to merge they have not committed', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    fs.writeFileSync(path.join(main, 'a.txt'), 'mine\n');
    await expect(merge(tree)).rejects.toThrow(
      `a.txt is not committed in ${main}; commit or stash that first`,
    );
    await nothingHappened(tree, main, 'M a.txt');
  });

  it('which file that git ignores would be overwritten', async () => {
    const { main, tree, write } = await aWorktree();
    fs.writeFileSync(path.join(main, 'ignored'), 'secret\n');
    write('ignored', 'of the agent\n');
    git(tree, 'add', '--force', 'ignored');
    git(tree, 'commit', '-q', '-m', 'ignored');
    await expect(merge(tree)).rejects.toThrow(
      `ignored is ignored by git in ${main} and would be overwritten`,
    );
    expect(textOf(main, 'ignored')).toBe('secret\n');
  });

  it('that git is at work in their folder', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    fs.writeFileSync(path.join(main, '.git', 'index.lock'), '');
    await expect(merge(tree)).rejects.toThrow(`git is at work in ${main}`);
  });
});

describe('a merge that git refuses', () => {
  it('has its reason in the message', async () => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    commitTo(main, 'b.txt', 'mine\n');
    git(main, 'config', 'merge.ff', 'only');
    await expect(merge(tree)).rejects.toThrow(
      `Not possible to fast-forward, aborting.; nothing was changed in ${main}, merge acp/one by hand`,
    );
    expect(git(main, 'log', '-1', '--format=%s', 'acp/one')).toBe('Title');
  });
});
