import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { GitStore } from '../../../../src/workspace/snapshots/git-store.ts';
import { aRepository, everythingIn, hasGit } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { put } from '../../../support/workspace/changes.ts';

function git(folder: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd: folder, stdio: 'pipe' }).toString().trim();
}

/** Removes at once whatever no branch leads to. */
function prune(folder: string): void {
  git(folder, 'reflog', 'expire', '--expire=now', '--all');
  git(folder, 'gc', '-q', '--prune=now');
}

async function openTrees(folder: string, changesFolder = path.join(aFolder(), 'one.changes')) {
  const trees = (await GitStore.open(folder, changesFolder))!;
  const textAt = async (tree: string, name: string) => {
    const file = await trees.find(tree, name);
    return file && (await trees.read(file)).toString();
  };
  return { trees, textAt, changesFolder };
}

/** Everything in a folder that others than its owner may do something with. */
function openToOthers(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => (fs.statSync(path.join(folder, name)).mode & 0o077) !== 0);
}

describe.skipIf(!hasGit)('the snapshots of a repository', () => {
  it('are stored in a private folder of the plugin', async () => {
    const folder = aRepository({ 'a.txt': 'a\n' });
    put(folder, 'private.txt', 'secret\n');
    put(folder, 'a.txt', 'changed\n');
    const before = everythingIn(folder);
    const { trees, textAt, changesFolder } = await openTrees(folder);
    const tree = await trees.takeSnapshot();
    await trees.retain(tree);
    expect(await textAt(tree, 'private.txt')).toBe('secret\n');
    expect(everythingIn(folder)).toEqual(before);
    expect(openToOthers(changesFolder)).toEqual([]);
    const mirror = aFolder();
    git(mirror, 'init', '-q', '--bare');
    git(folder, 'push', '-q', '--mirror', mirror);
    expect(git(mirror, 'for-each-ref', '--format=%(refname)')).toMatch(/^refs\/heads\/\w+$/);
  });

  it('stay readable when git has pruned staged objects', async () => {
    const folder = aRepository({ 'a.txt': 'a\n' });
    put(folder, 'sub/staged.txt', 'staged\n');
    git(folder, 'add', 'sub');
    const { trees, textAt } = await openTrees(folder);
    const tree = await trees.takeSnapshot();
    await trees.retain(tree);
    git(folder, 'reset', '-q', '--hard');
    prune(folder);
    expect(await textAt(tree, 'sub/staged.txt')).toBe('staged\n');
    expect(await textAt(tree, 'a.txt')).toBe('a\n');
  });

  it('stay readable when their commit was amended before the next prompt and pruned later', async () => {
    const folder = aRepository({ 'a.txt': 'first\n', 'b.txt': 'b\n' });
    const { trees, textAt } = await openTrees(folder);
    const tree = await trees.takeSnapshot();
    await trees.retain(tree);
    put(folder, 'a.txt', 'second\n');
    git(folder, 'commit', '-q', '--amend', '-am', 'second');
    await trees.retain(await trees.takeSnapshot());
    prune(folder);
    expect(await textAt(tree, 'a.txt')).toBe('first\n');
    expect(await textAt(tree, 'b.txt')).toBe('b\n');
  });

  it('work in a repository whose path has colons and quotes', async () => {
    const folder = path.join(aFolder(), 'a:b "c"');
    fs.mkdirSync(folder);
    put(folder, 'a.txt', 'a\n');
    execFileSync('git', ['init', '-q'], { cwd: folder });
    git(folder, 'add', '-A');
    git(folder, '-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-qm', 'first');
    const { trees, textAt } = await openTrees(folder);
    expect(await textAt(await trees.takeSnapshot(), 'a.txt')).toBe('a\n');
  });
});

describe.skipIf(!hasGit)('snapshots that an earlier version kept with refs in the repository', () => {
  /** Notes a file as it did: objects in the repository, held by a ref. */
  const keepThere = (folder: string, changesFolder: string, text: string) => {
    put(folder, 'private.txt', text);
    git(folder, 'add', 'private.txt');
    const tree = git(folder, 'write-tree');
    git(folder, 'reset', '-q', '--hard');
    const sessions = createHash('sha1').update(path.dirname(changesFolder)).digest('hex').slice(0, 12);
    const session = path.basename(changesFolder).replaceAll(/[^\w-]/g, '-');
    git(folder, 'update-ref', `refs/acp/${sessions}/${session}/${tree}`, tree);
    return tree;
  };

  it('are moved to the folders of their sessions; those of deleted sessions are dropped', async () => {
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
