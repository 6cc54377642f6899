import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CopyStore } from '../../../../src/workspace/snapshots/copy-store.ts';
import { GitStore } from '../../../../src/workspace/snapshots/git-store.ts';
import type { SnapshotStore } from '../../../../src/workspace/snapshots/snapshot-store.ts';
import { aRepository, hasGit, snapshotOf } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { waitFor } from '../../../support/wait.ts';

type Open = (files: Record<string, string>) => Promise<{ folder: string; trees: SnapshotStore }>;

const withGit: Open = async (files) => {
  const folder = aRepository(files);
  const trees = await GitStore.open(folder, path.join(aFolder(), 'session'));
  if (!trees) throw new Error('no repository');
  return { folder, trees };
};

const withCopies: Open = async (files) => {
  const folder = aFolder();
  for (const [name, text] of Object.entries(files)) put(folder, name, text);
  return { folder, trees: new CopyStore(folder, path.join(aFolder(), 'session')) };
};

function put(folder: string, name: string, content: string | Buffer): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), content);
}

const ways: [string, Open, boolean][] = [
  ['a repository', withGit, hasGit],
  ['a folder without a repository', withCopies, true],
];

describe.each(ways)('a snapshot of %s', (_, open, isThere) => {
  it.skipIf(!isThere)('shows which files were changed, created and deleted since', async () => {
    const { folder, trees } = await open({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'sub/c.txt': 'three\n' });
    const before = await trees.takeSnapshot();
    put(folder, 'a.txt', 'ONE\n');
    put(folder, 'new dir/näw "1".txt', 'new\n');
    fs.rmSync(path.join(folder, 'b.txt'));
    const changes = await trees.changes(before, await trees.takeSnapshot());
    const texts = await Promise.all(
      changes.map(async ({ name, before: old, after }) => [
        name,
        old && String(await trees.read(old)),
        after && String(await trees.read(after)),
      ]),
    );
    expect(texts.toSorted()).toEqual([
      ['a.txt', 'one\n', 'ONE\n'],
      ['b.txt', 'two\n', undefined],
      ['new dir/näw "1".txt', undefined, 'new\n'],
    ]);
  });

  it.skipIf(!isThere)('contains files with the names of properties that every object has', async () => {
    const { folder, trees } = await open({ 'a.txt': 'x' });
    const names = ['__proto__', 'constructor', 'toString'];
    const empty = await trees.takeSnapshot();
    for (const name of names) put(folder, name, 'one');
    const first = await trees.takeSnapshot();
    for (const name of names) put(folder, name, 'two, longer');
    const second = await trees.takeSnapshot();
    const named = async (from: string, to: string) =>
      (await trees.changes(from, to)).map(({ name, before }) => [name, before?.kind]).toSorted();
    expect(await named(empty, first)).toEqual(names.map((name) => [name, undefined]));
    expect(await named(first, second)).toEqual(names.map((name) => [name, 'file']));
    for (const name of names) expect(await trees.find(empty, name)).toBeUndefined();
  });

  it.skipIf(!isThere)('contains many equal files', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `${index}.txt`);
    const { folder, trees } = await open({ 'a.txt': 'x' });
    const before = await trees.takeSnapshot();
    for (const name of names) put(folder, name, 'alike\n');
    expect(await trees.changes(before, await trees.takeSnapshot())).toHaveLength(40);
  });

  it.skipIf(!isThere)('contains the content of a file, and nothing for a missing file', async () => {
    const { folder, trees } = await open({ 'a.txt': 'one\n' });
    const tree = await trees.takeSnapshot();
    put(folder, 'a.txt', 'two\n');
    const file = await trees.find(tree, 'a.txt');
    expect(String(await trees.read(file!))).toBe('one\n');
    expect(await trees.find(tree, 'none.txt')).toBeUndefined();
  });

  it.skipIf(!isThere)('contains binary files, executables and links', async () => {
    const { folder, trees } = await open({ 'a.bin': 'x' });
    const before = await trees.takeSnapshot();
    put(folder, 'a.bin', Buffer.from([0, 255, 10, 13]));
    put(folder, 'run.sh', 'echo\n');
    fs.chmodSync(path.join(folder, 'run.sh'), 0o755);
    fs.symlinkSync('nowhere', path.join(folder, 'link'));
    const changes = await trees.changes(before, await trees.takeSnapshot());
    expect(changes.map(({ name, after }) => [name, after?.kind]).toSorted()).toEqual([
      ['a.bin', 'file'],
      ['link', 'link'],
      ['run.sh', 'program'],
    ]);
    const binary = changes.find(({ name }) => name === 'a.bin')!;
    expect([...(await trees.read(binary.after!))]).toEqual([0, 255, 10, 13]);
  });

  it.skipIf(!isThere)('contains only the existence of a huge file', async () => {
    const { folder, trees } = await open({ 'a.txt': 'x' });
    const before = await trees.takeSnapshot();
    put(folder, 'huge.txt', Buffer.alloc(6 * 1024 * 1024));
    const [change] = await trees.changes(before, await trees.takeSnapshot());
    expect(change).toMatchObject({ name: 'huge.txt', before: undefined, after: { kind: 'unread' } });
  });

  it.skipIf(!isThere)('handles a folder that was replaced by a file', async () => {
    const { folder, trees } = await open({ 'a/b.txt': 'x' });
    const before = await trees.takeSnapshot();
    fs.rmSync(path.join(folder, 'a'), { recursive: true });
    put(folder, 'a', 'now a file');
    const changes = await trees.changes(before, await trees.takeSnapshot());
    expect(changes.map(({ name }) => name).toSorted()).toEqual(['a', 'a/b.txt']);
  });
});

describe.skipIf(!hasGit)('a repository', () => {
  it('is not modified by a snapshot: index, HEAD, stash, reflogs and files stay the same', async () => {
    const folder = aRepository({ 'a.txt': 'one\n', 'staged.txt': 'x\n' });
    put(folder, 'staged.txt', 'staged\n');
    execFileSync('git', ['add', 'staged.txt'], { cwd: folder });
    put(folder, 'a.txt', 'stashed\n');
    execFileSync('git', ['stash', 'push', '-q', 'a.txt'], { cwd: folder });
    put(folder, 'a.txt', 'dirty\n');
    execFileSync('git', ['config', 'core.logAllRefUpdates', 'always'], { cwd: folder });
    put(folder, '.git/hooks/reference-transaction', '#!/bin/sh\ntouch hook-ran\n');
    fs.chmodSync(path.join(folder, '.git/hooks/reference-transaction'), 0o755);
    const before = snapshotOf(folder);
    const trees = (await GitStore.open(folder, path.join(aFolder(), 'session')))!;
    await trees.retain(await trees.takeSnapshot());
    expect(snapshotOf(folder)).toEqual(before);
    expect(fs.existsSync(path.join(folder, 'hook-ran'))).toBe(false);
  });

  it('has no ignored files and no files outside of the session folder in its snapshot', async () => {
    const folder = aRepository({ '.gitignore': 'ignored\n', 'sub/a.txt': 'x\n', 'other/b.txt': 'x\n' });
    const trees = (await GitStore.open(path.join(folder, 'sub'), path.join(aFolder(), 's')))!;
    const before = await trees.takeSnapshot();
    for (const name of ['ignored', 'sub/a.txt', 'sub/ignored', 'other/b.txt']) put(folder, name, 'changed');
    const changes = await trees.changes(before, await trees.takeSnapshot());
    expect(changes.map(({ name }) => name)).toEqual(['sub/a.txt']);
  });

  it.each<[string, string, string]>([
    ['line ends that git converts', '* text eol=crlf\n', 'one\r\ntwo\r\n'],
    ['mixed line ends', '', 'one\r\ntwo\n'],
  ])('restores %s byte for byte', async (_, attributes, text) => {
    const folder = aRepository({ '.gitattributes': attributes, 'a.txt': 'x\n' });
    put(folder, 'a.txt', text);
    const trees = (await GitStore.open(folder, path.join(aFolder(), 's')))!;
    const file = await trees.find(await trees.takeSnapshot(), 'a.txt');
    expect(String(await trees.read(file!))).toBe(text);
  });

  it('notices a change of equal length in the second in which the file was added', async () => {
    const second = () => Math.floor(Date.now() / 1_000);
    await waitFor(() => Date.now() % 1_000 < 200);
    const folder = aRepository({ 'a.txt': 'one\n' });
    put(folder, 'a.txt', 'ONE\n');
    const then = second();
    await waitFor(() => second() > then);
    const trees = (await GitStore.open(folder, path.join(aFolder(), 's')))!;
    const file = await trees.find(await trees.takeSnapshot(), 'a.txt');
    expect(String(await trees.read(file!))).toBe('ONE\n');
  });

  it('can be snapshotted before its first commit', async () => {
    const folder = aFolder();
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const trees = (await GitStore.open(folder, path.join(aFolder(), 's')))!;
    const before = await trees.takeSnapshot();
    put(folder, 'a.txt', 'x');
    expect(await trees.changes(before, await trees.takeSnapshot())).toHaveLength(1);
  });
});
