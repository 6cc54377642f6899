import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listBranches, readDiff } from '../../../src/workspace/user-diff.ts';
import { aRepository, hasGit } from '../../support/system/git.ts';
import { aFolder } from '../../support/system/temp.ts';

const git = (folder: string, ...words: string[]) => execFileSync('git', words, { cwd: folder });
const write = (folder: string, name: string, text: string) => fs.writeFileSync(path.join(folder, name), text);

describe.skipIf(!hasGit)('the diff of a repository', () => {
  it('compares the work tree with HEAD and shows small untracked files', async () => {
    const folder = aRepository({ 'a.txt': 'one\n', '.gitignore': 'ignored\n' });
    write(folder, 'a.txt', 'two\n');
    write(folder, 'new.txt', 'new\nfile');
    write(folder, 'ignored', 'x\n');
    write(folder, 'large.txt', 'x'.repeat(20_000));
    const { text, base } = await readDiff(folder, undefined);
    expect(base).toBe('changes against HEAD');
    expect(text).toContain('-one\n+two\n');
    expect(text).toContain('+++ b/new.txt\n@@ -0,0 +1,2 @@\n+new\n+file\n\\ No newline at end of file\n');
    expect(text).toContain('untracked, not shown: large.txt\n');
    expect(text).not.toContain('ignored');
  });

  it('applies to the index of git as it is', async () => {
    const folder = aRepository({ 'a.txt': 'one\n' });
    write(folder, 'a.txt', 'two\n');
    write(folder, 'new.txt', 'new\nfile');
    const { text } = await readDiff(folder, undefined);
    git(folder, 'stash', '-q', '-u');
    execFileSync('git', ['apply', '-'], { cwd: folder, input: text });
    expect(fs.readFileSync(path.join(folder, 'new.txt'), 'utf8')).toBe('new\nfile');
    expect(fs.readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('two\n');
  });

  it('shows only what is staged, or compares with a branch', async () => {
    const folder = aRepository({ 'a.txt': 'one\n' });
    git(folder, 'branch', 'old');
    write(folder, 'a.txt', 'two\n');
    git(folder, 'commit', '-qam', 'second');
    write(folder, 'a.txt', 'three\n');
    git(folder, 'add', 'a.txt');
    write(folder, 'a.txt', 'four\n');
    expect((await readDiff(folder, 'staged')).text).toContain('-two\n+three\n');
    expect((await readDiff(folder, 'old')).text).toContain('-one\n+four\n');
  });

  it('covers the whole repository from a folder inside it', async () => {
    const folder = aRepository({ 'a.txt': 'one\n', 'sub/b.txt': 'b\n' });
    write(folder, 'a.txt', 'two\n');
    expect((await readDiff(path.join(folder, 'sub'), undefined)).text).toContain('+two\n');
  });

  it.each(['sha1', 'sha256'])(
    'shows all files before the first commit of a %s repository',
    async (format) => {
      const folder = aFolder();
      git(folder, 'init', '-q', `--object-format=${format}`);
      write(folder, 'a.txt', 'one\n');
      git(folder, 'add', 'a.txt');
      expect((await readDiff(folder, undefined)).text).toContain('+one\n');
    },
  );

  it.each(['--output=stolen', 'no-such-branch', '-p'])('refuses %s as a revision', async (name) => {
    const folder = aRepository({ 'a.txt': 'one\n' });
    await expect(readDiff(folder, name)).rejects.toThrow('git knows no branch or revision');
    expect(fs.existsSync(path.join(folder, 'stolen'))).toBe(false);
  });

  it('runs no program that the repository names', async () => {
    const folder = aRepository({ 'a.txt': 'one\n', '.gitattributes': '*.txt diff=evil\n' });
    const proof = path.join(folder, 'ran');
    git(folder, 'config', 'diff.external', `touch ${proof}`);
    git(folder, 'config', 'diff.evil.textconv', `touch ${proof}; cat`);
    git(folder, 'config', 'core.pager', `touch ${proof}`);
    write(folder, 'a.txt', 'two\n');
    expect((await readDiff(folder, undefined)).text).toContain('+two\n');
    expect(fs.existsSync(proof)).toBe(false);
  });

  it('is not read to the end if it is very long', async () => {
    const folder = aRepository({ 'a.txt': 'one\n' });
    write(folder, 'a.txt', 'another line\n'.repeat(2_000_000));
    expect((await readDiff(folder, undefined)).text.length).toBeLessThan(4 * 1024 * 1024);
  });

  it('outside of a repository fails with a message that says so', async () => {
    const folder = aFolder();
    await expect(readDiff(folder, undefined)).rejects.toThrow(`${folder} is not in a git repository`);
  });
});

describe.skipIf(!hasGit)('the branches of a repository', () => {
  it('are those of its own and of remotes, and each can be compared with', async () => {
    const folder = aRepository({ 'a.txt': 'one\n' });
    git(folder, 'checkout', '-q', '-b', 'work');
    git(folder, 'branch', 'fix/login');
    git(folder, 'update-ref', 'refs/remotes/origin/next', 'HEAD');
    git(folder, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/next');
    git(folder, 'tag', 'v1');
    const found = await listBranches(folder);
    expect(found).toEqual(expect.arrayContaining(['fix/login', 'origin/next', 'work']));
    expect(found).not.toContain('v1');
    expect(found).not.toContain('origin/HEAD');
    for (const name of found) expect((await readDiff(folder, name)).base).toBe(`changes against ${name}`);
  });

  it('are none outside of a repository and before the first commit', async () => {
    expect(await listBranches(aFolder())).toEqual([]);
    const folder = aFolder();
    git(folder, 'init', '-q');
    expect(await listBranches(folder)).toEqual([]);
  });
});
