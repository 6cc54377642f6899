import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { worktreeState } from '../../../../src/workspace/worktrees/worktree-state.ts';
import { addWorktree } from '../../../../src/workspace/worktrees/worktrees.ts';
import { aFolder } from '../../../support/system/temp.ts';
import {
  aRepository,
  aWorktreeOf,
  commitTo,
  git,
  merge,
  remove,
  textOf,
} from '../../../support/system/worktree.ts';

/** A work tree of the user beside the first one, with a branch of its own that has one commit more. */
function aLinkedWorktree(main: string): string {
  const feature = path.join(aFolder(), 'feature');
  git(main, 'worktree', 'add', '-q', '-b', 'feature', feature);
  commitTo(feature, 'half.txt', 'half finished\n');
  return feature;
}

/** A worktree as earlier versions made it. */
function anOldWorktree(main: string): string {
  const name = '20260102-030405-67-1';
  const tree = path.join(aFolder(), `main-${name}`);
  git(main, 'worktree', 'add', '-q', '-b', `acp/${name}`, tree);
  fs.writeFileSync(path.join(tree, 'a.txt'), 'two\n');
  return tree;
}

describe('a worktree is merged into exactly what it was made from', () => {
  it('also if tags have the names of both branches', async () => {
    const main = aRepository();
    git(main, 'tag', 'trunk');
    const { tree, write } = await aWorktreeOf(main);
    git(main, 'tag', 'acp/one');
    write('a.txt', 'two\n');
    commitTo(main, 'b.txt', 'mine\n');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
    expect(git(main, 'log', '-1', '--format=%s')).toBe("Merge branch 'acp/one' into trunk");
  });

  it('also if that is a linked worktree', async () => {
    const main = aRepository();
    const feature = aLinkedWorktree(main);
    const { tree, write } = await aWorktreeOf(feature);
    write('a.txt', 'two\n');
    await merge(tree);
    expect(textOf(feature, 'a.txt')).toBe('two\n');
    expect(textOf(main, 'a.txt')).toBe('one\n');
    expect(git(main, 'log', '-1', '--format=%s')).toBe('first');
    expect(await remove(tree)).toEqual({ isBranchKept: false });
  });

  it('also if the repository is bare', async () => {
    const folder = aFolder();
    const [bare, work] = [path.join(folder, 'project.git'), path.join(folder, 'work')];
    git(folder, 'clone', '-q', '--bare', aRepository(), bare);
    git(bare, 'config', 'user.name', 'Me');
    git(bare, 'config', 'user.email', 'me@example.org');
    git(bare, 'worktree', 'add', '-q', work, 'trunk');
    const { tree, write } = await aWorktreeOf(work);
    write('a.txt', 'two\n');
    await merge(tree);
    expect(textOf(work, 'a.txt')).toBe('two\n');
    expect(await remove(tree)).toEqual({ isBranchKept: false });
  });

  it('also if no branch was checked out', async () => {
    const main = aRepository();
    git(main, 'checkout', '-q', '--detach');
    const { tree, write } = await aWorktreeOf(main);
    write('a.txt', 'two\n');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
    write('a.txt', 'three\n');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('three\n');
    expect(git(main, 'rev-parse', 'trunk')).not.toBe(git(main, 'rev-parse', 'HEAD'));
  });

  it('also if the repository has sha256 names', async () => {
    const main = aRepository('sha256');
    const { tree, write } = await aWorktreeOf(main);
    write('a.txt', 'two\n');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
    expect(await remove(tree)).toEqual({ isBranchKept: false });
  });

  it('also if that was a folder of the repository', async () => {
    const main = aRepository();
    fs.mkdirSync(path.join(main, 'inner'));
    const { tree, write } = await aWorktreeOf(path.join(main, 'inner'));
    write('a.txt', 'two\n');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
  });

  it('and not if another branch is checked out there', async () => {
    const main = aRepository();
    const { tree, write } = await aWorktreeOf(main);
    write('a.txt', 'two\n');
    git(main, 'checkout', '-q', '-b', 'other');
    await expect(merge(tree)).rejects.toThrow(
      `${main} has other checked out, and the worktree was made from trunk; check that out again first`,
    );
    git(main, 'checkout', '-q', '--detach', 'trunk');
    await expect(merge(tree)).rejects.toThrow('the worktree was made from trunk');
    expect((await worktreeState(tree)).uncommitted).toEqual(['a.txt']);
    git(main, 'checkout', '-q', 'trunk');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
  });

  it('and not if that folder is gone', async () => {
    const main = aRepository();
    const feature = aLinkedWorktree(main);
    const { tree, write } = await aWorktreeOf(feature);
    write('a.txt', 'two\n');
    git(main, 'worktree', 'remove', feature);
    await expect(merge(tree)).rejects.toThrow(
      `${feature}, which the worktree was made from, is gone; merge acp/one by hand`,
    );
    expect(await remove(tree)).toEqual({ isBranchKept: true });
    expect(git(main, 'show', 'acp/one:a.txt')).toBe('two');
  });

  it('and not if that folder is another repository by now', async () => {
    const main = aRepository();
    const feature = aLinkedWorktree(main);
    const { tree, write } = await aWorktreeOf(feature);
    write('a.txt', 'two\n');
    fs.rmSync(path.join(feature, '.git'));
    git(feature, 'init', '-q', '-b', 'feature');
    await expect(merge(tree)).rejects.toThrow('has no files of this repository any more');
  });

  it('and from a bare repository without a work tree by hand only', async () => {
    const bare = path.join(aFolder(), 'project.git');
    git(aFolder(), 'clone', '-q', '--bare', aRepository(), bare);
    const { tree, write } = await aWorktreeOf(bare);
    write('a.txt', 'two\n');
    await expect(merge(tree)).rejects.toThrow(
      'has no files of this repository any more; merge acp/one by hand',
    );
  });
});

describe('a worktree that an earlier version made', () => {
  it('is merged into the only work tree of the user', async () => {
    const main = aRepository();
    await merge(anOldWorktree(main));
    expect(textOf(main, 'a.txt')).toBe('two\n');
  });

  it('is not merged if there are several', async () => {
    const main = aRepository();
    const tree = anOldWorktree(main);
    aLinkedWorktree(main);
    await expect(merge(tree)).rejects.toThrow('nothing says which folder the worktree was made from');
    expect(textOf(main, 'a.txt')).toBe('one\n');
  });
});

describe('the record of a worktree', () => {
  const record = (tree: string) => path.join(git(tree, 'rev-parse', '--absolute-git-dir'), 'acp.json');

  it.each([
    ['damaged', '{'],
    ['of another kind', '[]'],
    ['about a branch that the plugin did not make', '{"branch":"trunk"}'],
    ['too long', ' '.repeat(100_000)],
  ])('does not count if it is %s', async (_, text) => {
    const { tree } = await aWorktreeOf(aRepository());
    fs.writeFileSync(record(tree), text);
    await expect(merge(tree)).rejects.toThrow(
      `nothing says what ${tree} was made from; merge or remove it by hand`,
    );
    await expect(remove(tree)).rejects.toThrow('by hand');
  });

  it('is not waited for if it is a pipe', async () => {
    const { tree } = await aWorktreeOf(aRepository());
    const file = record(tree);
    fs.rmSync(file);
    execFileSync('mkfifo', [file]);
    await expect(merge(tree)).rejects.toThrow('by hand');
  });

  it('leaves the origin open if that part is damaged', async () => {
    const { main, tree, write } = await aWorktreeOf(aRepository());
    fs.writeFileSync(record(tree), '{"branch":"acp/one","origin":{"folder":7}}');
    write('a.txt', 'two\n');
    await expect(merge(tree)).rejects.toThrow('nothing says which folder the worktree was made from');
    expect(await remove(tree)).toEqual({ isBranchKept: true });
    expect(git(main, 'show', 'acp/one:a.txt')).toBe('two');
  });
});

describe('a folder that is no worktree any more', () => {
  it.each([
    ['its .git is gone', (tree: string) => fs.rmSync(path.join(tree, '.git'))],
    [
      'a repository was put in its place',
      (tree: string) => {
        fs.rmSync(path.join(tree, '.git'));
        git(tree, 'init', '-q');
      },
    ],
  ])('is left alone: %s', async (_, change) => {
    const outer = aRepository();
    const tree = path.join(outer, 'trees', 'one');
    await addWorktree(outer, tree, 'acp/one');
    change(tree);
    await expect(worktreeState(tree)).rejects.toThrow(`${tree} is no worktree of your repository any more`);
  });

  it('is named if it is gone', async () => {
    const { tree } = await aWorktreeOf(aRepository());
    fs.rmSync(tree, { recursive: true });
    await expect(worktreeState(tree)).rejects.toThrow(`${tree} is gone; :AcpClose closes the chat`);
  });
});
