import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { GitTrees } from '../../../../src/workspace/changes/git-trees.ts';
import { put } from '../../../support/changes.ts';
import { aRepository, everythingIn, hasGit } from '../../../support/git.ts';
import { aFolder } from '../../../support/temp.ts';

function git(folder: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd: folder, stdio: 'pipe' }).toString().trim();
}

/** Removes at once whatever no branch leads to. */
function prune(folder: string): void {
  git(folder, 'reflog', 'expire', '--expire=now', '--all');
  git(folder, 'gc', '-q', '--prune=now');
}

async function openTrees(folder: string, state = path.join(aFolder(), 'one.changes')) {
  const trees = (await GitTrees.open(folder, state))!;
  const textAt = async (tree: string, name: string) => {
    const file = await trees.find(tree, name);
    return file && (await trees.read(file)).toString();
  };
  return { trees, textAt, state };
}

/** Everything in a folder that others than its owner may do something with. */
function openToOthers(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => (fs.statSync(path.join(folder, name)).mode & 0o077) !== 0);
}

describe.skipIf(!hasGit)('what is noted of a repository', () => {
  it('is all in a folder of ours that nobody else may read', async () => {
    const folder = aRepository({ 'a.txt': 'a\n' });
    put(folder, 'private.txt', 'secret\n');
    put(folder, 'a.txt', 'changed\n');
    const before = everythingIn(folder);
    const { trees, textAt, state } = await openTrees(folder);
    const tree = await trees.take();
    await trees.keep(tree);
    expect(await textAt(tree, 'private.txt')).toBe('secret\n');
    expect(everythingIn(folder)).toEqual(before);
    expect(openToOthers(state)).toEqual([]);
    const mirror = aFolder();
    git(mirror, 'init', '-q', '--bare');
    git(folder, 'push', '-q', '--mirror', mirror);
    expect(git(mirror, 'for-each-ref', '--format=%(refname)')).toMatch(/^refs\/heads\/\w+$/);
  });

  it('can be read when git has pruned what was only staged', async () => {
    const folder = aRepository({ 'a.txt': 'a\n' });
    put(folder, 'sub/staged.txt', 'staged\n');
    git(folder, 'add', 'sub');
    const { trees, textAt } = await openTrees(folder);
    const tree = await trees.take();
    await trees.keep(tree);
    git(folder, 'reset', '-q', '--hard');
    prune(folder);
    expect(await textAt(tree, 'sub/staged.txt')).toBe('staged\n');
    expect(await textAt(tree, 'a.txt')).toBe('a\n');
  });

  it('can be read when its commit was replaced before the next prompt, and pruned later', async () => {
    const folder = aRepository({ 'a.txt': 'first\n', 'b.txt': 'b\n' });
    const { trees, textAt } = await openTrees(folder);
    const tree = await trees.take();
    await trees.keep(tree);
    put(folder, 'a.txt', 'second\n');
    git(folder, 'commit', '-q', '--amend', '-am', 'second');
    await trees.keep(await trees.take());
    prune(folder);
    expect(await textAt(tree, 'a.txt')).toBe('first\n');
    expect(await textAt(tree, 'b.txt')).toBe('b\n');
  });

  it('works where the path of the repository has colons and quotes', async () => {
    const folder = path.join(aFolder(), 'a:b "c"');
    fs.mkdirSync(folder);
    put(folder, 'a.txt', 'a\n');
    execFileSync('git', ['init', '-q'], { cwd: folder });
    git(folder, 'add', '-A');
    git(folder, '-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-qm', 'first');
    const { trees, textAt } = await openTrees(folder);
    expect(await textAt(await trees.take(), 'a.txt')).toBe('a\n');
  });
});

describe.skipIf(!hasGit)('what an earlier version kept in the repository itself', () => {
  /** Notes a file as it did: objects in the repository, held by a ref. */
  const keepThere = (folder: string, state: string, text: string) => {
    put(folder, 'private.txt', text);
    git(folder, 'add', 'private.txt');
    const tree = git(folder, 'write-tree');
    git(folder, 'reset', '-q', '--hard');
    const sessions = createHash('sha1').update(path.dirname(state)).digest('hex').slice(0, 12);
    const session = path.basename(state).replaceAll(/[^\w-]/g, '-');
    git(folder, 'update-ref', `refs/acp/${sessions}/${session}/${tree}`, tree);
    return tree;
  };

  it('is moved to where it is kept now, and is gone with sessions that nobody remembers', async () => {
    const folder = aRepository({ 'a.txt': 'a\n' });
    const sessions = aFolder();
    const [one, two, gone] = ['one', 'two', 'gone'].map((name) => path.join(sessions, `${name}.changes`));
    await openTrees(folder, one);
    const [mine, old] = [keepThere(folder, one!, 'mine\n'), keepThere(folder, gone!, 'old\n')];
    await openTrees(folder, two);
    expect(git(folder, 'for-each-ref', 'refs/acp')).toBe('');
    prune(folder);
    const { textAt } = await openTrees(folder, one);
    expect(await textAt(mine, 'private.txt')).toBe('mine\n');
    await expect(textAt(old, 'private.txt')).rejects.toThrow();
  });
});
