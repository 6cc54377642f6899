import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { worktreeState } from '../../../../src/workspace/worktrees/worktree-state.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { aWorktree, commitTo, git, merge, remove, textOf } from '../../../support/system/worktree.ts';

describe('branches of the user', () => {
  it('stay when the agent has checked one out', async () => {
    const { main, tree } = await aWorktree();
    git(main, 'branch', 'develop');
    git(main, 'config', 'branch.develop.description', 'mine');
    git(tree, 'checkout', '-q', 'develop');
    expect(await remove(tree)).toEqual({ isBranchKept: false });
    expect(git(main, 'branch', '--list', '--format=%(refname:short)')).toBe('develop\ntrunk');
    expect(git(main, 'config', 'branch.develop.description')).toBe('mine');
  });

  it.each(['trunk', '--ff'])('get no commit of a worktree that is put on one: %s', async (name) => {
    const { main, tree, write } = await aWorktree();
    git(main, 'update-ref', `refs/heads/${name}`, 'HEAD');
    git(tree, 'symbolic-ref', 'HEAD', `refs/heads/${name}`);
    write('a.txt', 'two\n');
    const head = git(main, 'rev-parse', 'HEAD');
    await expect(merge(tree)).rejects.toThrow(`the worktree is on the branch "${name}", not on acp/one`);
    await expect(remove(tree)).rejects.toThrow(
      `the worktree is on the branch "${name}", not on acp/one, and a.txt is not committed`,
    );
    expect(git(main, 'rev-parse', 'HEAD', `refs/heads/${name}`)).toBe(`${head}\n${head}`);
    expect(textOf(tree, 'a.txt')).toBe('two\n');
  });

  it('do not matter any more when the agent has gone back', async () => {
    const { main, tree, write } = await aWorktree();
    git(tree, 'checkout', '-q', '--detach');
    await expect(merge(tree)).rejects.toThrow(
      `the worktree is on no branch; "git switch acp/one" there goes back`,
    );
    git(tree, 'switch', '-q', 'acp/one');
    write('a.txt', 'two\n');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
  });
});

describe('a worktree is not removed', () => {
  it('with a commit that is on no branch', async () => {
    const { main, tree } = await aWorktree();
    git(tree, 'checkout', '-q', '--detach');
    commitTo(tree, 'a.txt', 'two\n');
    await expect(remove(tree)).rejects.toThrow(/commit \w{7} is on no branch; "git branch NAME \w{7}"/);
    git(tree, 'branch', 'kept');
    expect(await remove(tree)).toEqual({ isBranchKept: false });
    expect(git(main, 'show', 'kept:a.txt')).toBe('two');
  });

  it('in the middle of a rebase, and not merged either', async () => {
    const { main, tree } = await aWorktree();
    commitTo(tree, 'a.txt', 'two\n');
    commitTo(main, 'a.txt', 'three\n');
    expect(() => git(tree, 'rebase', 'trunk')).toThrow();
    const reason = `the worktree is in the middle of a rebase; finish or abort it there first`;
    await expect(merge(tree)).rejects.toThrow(reason);
    await expect(remove(tree)).rejects.toThrow(reason);
    git(tree, 'rebase', '--abort');
    expect(await remove(tree)).toEqual({ isBranchKept: true });
  });

  it('in the middle of a merge of the agent, whose conflicts are not committed', async () => {
    const { main, tree } = await aWorktree();
    commitTo(tree, 'a.txt', 'two\n');
    commitTo(main, 'a.txt', 'three\n');
    expect(() => git(tree, 'merge', 'trunk')).toThrow();
    await expect(merge(tree)).rejects.toThrow('in the middle of a merge');
    await expect(remove(tree)).rejects.toThrow('in the middle of a merge');
    expect(git(main, 'log', '-1', '--format=%s', 'acp/one')).toBe('change a.txt');
  });

  it.each(['skip-worktree', 'assume-unchanged'])('with a change that is hidden by %s', async (flag) => {
    const { main, tree, write } = await aWorktree();
    git(tree, 'update-index', `--${flag}`, 'a.txt');
    expect((await worktreeState(tree)).removalObstacle).toBeUndefined();
    write('a.txt', 'precious\n');
    await expect(remove(tree)).rejects.toThrow(
      `a.txt is changed, but hidden from git; "git update-index --no-${flag} a.txt" there shows it`,
    );
    expect(textOf(tree, 'a.txt')).toBe('precious\n');
    git(tree, 'update-index', `--no-${flag}`, 'a.txt');
    await remove(tree);
    expect(git(main, 'show', 'acp/one:a.txt')).toBe('precious');
  });

  it('while it is locked', async () => {
    const { main, tree } = await aWorktree();
    git(main, 'worktree', 'lock', tree);
    await expect(remove(tree)).rejects.toThrow('the worktree is locked');
  });

  it('while git is at work in it', async () => {
    const { tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    const lock = path.join(git(tree, 'rev-parse', '--absolute-git-dir'), 'index.lock');
    fs.writeFileSync(lock, '');
    await expect(merge(tree)).rejects.toThrow(`git is at work in the worktree; if it is not, delete ${lock}`);
    await expect(remove(tree)).rejects.toThrow(lock);
  });
});

describe('a sparse checkout', () => {
  it('is made into a worktree, merged and removed', async () => {
    const { main, tree, write } = await aWorktree();
    fs.mkdirSync(path.join(tree, 'deep'));
    write('deep/b.txt', 'b\n');
    await merge(tree);
    git(tree, 'sparse-checkout', 'set', '--no-cone', '/a.txt');
    write('a.txt', 'two\n');
    expect((await worktreeState(tree)).uncommitted).toEqual(['a.txt']);
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
    expect(textOf(main, 'deep', 'b.txt')).toBe('b\n');
    expect(await remove(tree)).toEqual({ isBranchKept: false });
  });
});

describe('a repository inside of a worktree', () => {
  const aNested = (tree: string, name: string, hasCommit: boolean) => {
    const folder = path.join(tree, name);
    fs.mkdirSync(folder, { recursive: true });
    git(folder, 'init', '-q');
    git(folder, 'config', 'user.name', 'Agent');
    git(folder, 'config', 'user.email', 'agent@example.org');
    fs.writeFileSync(path.join(folder, 'code.txt'), 'code\n');
    if (hasCommit) commitTo(folder, 'code.txt', 'code\n');
  };

  it.each([
    ['with a commit', true],
    ['without a commit', false],
  ])('is named and kept: %s', async (_, hasCommit) => {
    const { main, tree, write } = await aWorktree();
    write('a.txt', 'two\n');
    aNested(tree, 'sub/lib', hasCommit);
    await expect(merge(tree)).rejects.toThrow(
      'sub/lib is a git repository of its own, of which no commit takes a file; move it out of the worktree first',
    );
    await expect(remove(tree)).rejects.toThrow(`sub/lib is a git repository of its own`);
    expect((await worktreeState(tree)).commits).toBe(0);
    const elsewhere = path.join(aFolder(), 'lib');
    fs.renameSync(path.join(tree, 'sub', 'lib'), elsewhere);
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
    expect(git(main, 'ls-files', '--stage')).not.toContain('160000');
  });

  it('is named and kept if the agent has committed it', async () => {
    const { main, tree } = await aWorktree();
    aNested(tree, 'lib', true);
    git(tree, '-c', 'advice.addEmbeddedRepo=false', 'add', 'lib');
    git(tree, 'commit', '-q', '-m', 'add lib');
    await expect(merge(tree)).rejects.toThrow('lib is a git repository');
    await expect(remove(tree)).rejects.toThrow('lib is a git repository');
    fs.renameSync(path.join(tree, 'lib'), path.join(aFolder(), 'lib'));
    await merge(tree);
    expect(git(main, 'ls-files', '--stage')).not.toContain('160000');
  });

  it('is kept also where git ignores it', async () => {
    const { main, tree, write } = await aWorktree();
    aNested(tree, 'ignored/lib', true);
    write('a.txt', 'two\n');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
    await expect(remove(tree)).rejects.toThrow('ignored/lib is a git repository');
    expect(textOf(tree, 'ignored', 'lib', 'code.txt')).toBe('code\n');
  });

  it('may be a submodule that the agent has added', async () => {
    const { main, tree } = await aWorktree();
    const library = path.join(aFolder(), 'library');
    git(aFolder(), 'clone', '-q', main, library);
    git(tree, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
    await merge(tree);
    expect(git(main, 'ls-files', '--stage', 'lib')).toContain('160000');
    expect(textOf(main, '.gitmodules')).toContain(library);
    await expect(remove(tree)).rejects.toThrow('lib is a git repository');
  });
});
