import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { aRepository, everythingIn, hasGit, makeRepository } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { put, Watched } from '../../../support/workspace/changes.ts';

/** A repository, what an agent changes in it, and what a review should list then. */
interface Shape {
  /** Gives the folder of the session. */
  make(): string;
  act(folder: string): void;
  readonly listed: readonly string[];
  /** Files of which is looked whether they are back. */
  readonly files: readonly string[];
}

const git = (folder: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...words], { cwd: folder, stdio: 'pipe' });
const plain = () => aRepository({ 'a.txt': 'one\n' });
const change = (folder: string) => put(folder, 'a.txt', 'ONE\n');
const usual = { act: change, listed: ['a.txt +1 -1'], files: ['a.txt'] };

/** A filter that leaves a trace whenever it runs, and a repository that is not as its files are. */
function withFilter(isRequired: boolean): string {
  const folder = aRepository({ '.gitattributes': '*.txt filter=loud\n', 'a.txt': 'one\n' });
  git(folder, 'config', 'filter.loud.clean', isRequired ? 'false' : 'touch filter-ran; tr a-z A-Z');
  git(folder, 'config', 'filter.loud.smudge', 'touch filter-ran; tr A-Z a-z');
  git(folder, 'config', 'filter.loud.required', String(isRequired));
  return folder;
}

function withLineEnds(config: string, attributes: string, text: string): () => string {
  return () => {
    const folder = aFolder();
    git(folder, 'init', '-q');
    if (config !== '') git(folder, 'config', ...config.split('='));
    if (attributes !== '') put(folder, '.gitattributes', attributes);
    put(folder, 'a.txt', text);
    makeRepository(folder);
    return folder;
  };
}

function inTheMiddleOfAMerge(): string {
  const folder = plain();
  git(folder, 'checkout', '-q', '-b', 'other');
  put(folder, 'a.txt', 'theirs\n');
  git(folder, 'commit', '-q', '-am', 'theirs');
  git(folder, 'checkout', '-q', '-');
  put(folder, 'a.txt', 'ours\n');
  git(folder, 'commit', '-q', '-am', 'ours');
  try {
    git(folder, 'merge', 'other');
  } catch {
    put(folder, '.git/index.lock', '');
  }
  return folder;
}

const shapes: Record<string, Shape> = {
  'before its first commit': {
    ...usual,
    make: () => {
      const folder = aFolder();
      git(folder, 'init', '-q');
      put(folder, 'a.txt', 'one\n');
      return folder;
    },
  },
  'that is a linked work tree': {
    ...usual,
    make: () => {
      const folder = path.join(aFolder(), 'tree');
      git(plain(), 'worktree', 'add', '-q', folder);
      return folder;
    },
  },
  'with a separate git directory': {
    ...usual,
    make: () => {
      const folder = aFolder();
      git(folder, 'init', '-q', '--separate-git-dir', path.join(aFolder(), 'git'));
      put(folder, 'a.txt', 'one\n');
      makeRepository(folder);
      return folder;
    },
  },
  'with the session in a subfolder': {
    make: () => path.join(aRepository({ 'sub/a.txt': 'one\n', 'b.txt': 'b\n' }), 'sub'),
    act: (folder) => {
      change(folder);
      put(folder, '../b.txt', 'not ours\n');
    },
    listed: ['a.txt +1 -1'],
    files: ['a.txt'],
  },
  'that ignores the folder of the session': {
    ...usual,
    make: () => {
      const folder = path.join(aRepository({ '.gitignore': 'mine\n' }), 'mine');
      put(folder, 'a.txt', 'one\n');
      return folder;
    },
  },
  'with a submodule': {
    make: () => {
      const folder = plain();
      git(folder, 'submodule', '--quiet', 'add', aRepository({ 'm.txt': 'm\n' }), 'module');
      git(folder, 'commit', '-q', '-m', 'module');
      return folder;
    },
    act: (folder) => {
      change(folder);
      put(folder, 'module/m.txt', 'M\n');
      put(folder, 'module/new.txt', 'new\n');
    },
    listed: ['a.txt +1 -1', 'module/m.txt +1 -1', 'module/new.txt +1 -0'],
    files: ['a.txt', 'module/m.txt', 'module/new.txt'],
  },
  'with a submodule that was never fetched': {
    ...usual,
    make: () => {
      const outer = plain();
      git(outer, 'submodule', '--quiet', 'add', aRepository({ 'm.txt': 'm\n' }), 'module');
      git(outer, 'commit', '-q', '-m', 'module');
      const folder = path.join(aFolder(), 'clone');
      git(outer, 'clone', '-q', '.', folder);
      return folder;
    },
  },
  'with a nested repository': {
    make: () => {
      const folder = plain();
      put(folder, 'inner/b.txt', 'b\n');
      makeRepository(path.join(folder, 'inner'));
      return folder;
    },
    act: (folder) => {
      change(folder);
      put(folder, 'inner/b.txt', 'B\n');
    },
    listed: ['a.txt +1 -1', 'inner/b.txt +1 -1'],
    files: ['a.txt', 'inner/b.txt'],
  },
  'with hooks': {
    ...usual,
    make: () => {
      const folder = plain();
      for (const hook of ['pre-commit', 'post-index-change', 'reference-transaction']) {
        put(folder, `.git/hooks/${hook}`, '#!/bin/sh\ntouch hook-ran\nexit 1\n');
        fs.chmodSync(path.join(folder, '.git/hooks', hook), 0o755);
      }
      return folder;
    },
  },
  'with a filter': { ...usual, make: () => withFilter(false) },
  'with a filter that must run and fails': { ...usual, make: () => withFilter(true) },
  'with autocrlf and a file with LF': {
    ...usual,
    make: withLineEnds('core.autocrlf=true', '', 'one\n'),
  },
  'with autocrlf and a file with CRLF': {
    ...usual,
    make: withLineEnds('core.autocrlf=true', '', 'one\r\n'),
  },
  'with text=auto and a file with CRLF': { ...usual, make: withLineEnds('', '* text=auto\n', 'one\r\n') },
  'with eol=crlf and a file with LF': { ...usual, make: withLineEnds('', '* text eol=crlf\n', 'one\n') },
  'in the middle of a merge, with a locked index': {
    make: inTheMiddleOfAMerge,
    act: change,
    listed: ['a.txt +1 -5'],
    files: ['a.txt'],
  },
  'with a sparse checkout': {
    ...usual,
    make: () => {
      const folder = aRepository({ 'a.txt': 'one\n', 'left/b.txt': 'b\n' });
      git(folder, 'sparse-checkout', 'set', '--no-cone', '/a.txt');
      return folder;
    },
  },
  'with assume-unchanged and skip-worktree files': {
    make: () => {
      const folder = aRepository({ 'a.txt': 'committed\n', 'b.txt': 'committed\n' });
      git(folder, 'update-index', '--assume-unchanged', 'a.txt');
      git(folder, 'update-index', '--skip-worktree', 'b.txt');
      put(folder, 'a.txt', 'my own\n');
      put(folder, 'b.txt', 'my own\n');
      return folder;
    },
    act: (folder) => {
      put(folder, 'a.txt', 'changed\n');
      put(folder, 'b.txt', 'changed\n');
    },
    listed: ['a.txt +1 -1', 'b.txt +1 -1'],
    files: ['a.txt', 'b.txt'],
  },
  'with SHA-256 objects': {
    ...usual,
    make: () => {
      const folder = aFolder();
      git(folder, 'init', '-q', '--object-format=sha256');
      put(folder, 'a.txt', 'one\n');
      put(folder, 'big', Buffer.alloc(6 * 1024 * 1024));
      makeRepository(folder);
      return folder;
    },
  },
  'with excludes outside of the work tree': {
    make: () => {
      const folder = plain();
      const ignored = path.join(aFolder(), 'ignored');
      fs.writeFileSync(ignored, '*.log\n');
      git(folder, 'config', 'core.excludesFile', ignored);
      put(folder, '.git/info/exclude', '*.tmp\n');
      return folder;
    },
    act: (folder) => {
      change(folder);
      put(folder, 'x.log', 'not ours\n');
      put(folder, 'x.tmp', 'not ours\n');
    },
    listed: ['a.txt +1 -1'],
    files: ['a.txt'],
  },
  'with an intent-to-add file': {
    make: () => {
      const folder = plain();
      put(folder, 'b.txt', 'b\n');
      git(folder, 'add', '-N', 'b.txt');
      return folder;
    },
    act: (folder) => put(folder, 'b.txt', 'B\n'),
    listed: ['b.txt +1 -1'],
    files: ['b.txt'],
  },
  'with a split index': {
    ...usual,
    make: () => {
      const folder = plain();
      git(folder, 'update-index', '--split-index');
      return folder;
    },
  },
  'with unusual file names': {
    make: () => aRepository({ 'new\nline "quoted" \\.txt': 'one\n', ':(top)*': 'two\n' }),
    act: (folder) => {
      put(folder, 'new\nline "quoted" \\.txt', 'ONE\n');
      put(folder, ':(top)*', 'TWO\n');
      put(folder, '-x', 'new\n');
    },
    listed: ['-x +1 -0', ':(top)* +1 -1', 'new\nline "quoted" \\.txt +1 -1'],
    files: ['new\nline "quoted" \\.txt', ':(top)*', '-x'],
  },
  'in a folder with a newline in its name': {
    ...usual,
    make: () => {
      const folder = path.join(aFolder(), 'new\nline');
      put(folder, 'a.txt', 'one\n');
      makeRepository(folder);
      return folder;
    },
  },
  'with a file name that is not UTF-8': {
    ...usual,
    make: () => {
      const folder = aFolder();
      fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff, 0xfe)]), 'x\n');
      put(folder, 'a.txt', 'one\n');
      makeRepository(folder);
      return folder;
    },
  },
  'with a link to another folder': {
    make: () => {
      const folder = plain();
      put(folder, 'to/b.txt', 'b\n');
      fs.symlinkSync('to', path.join(folder, 'link'));
      fs.symlinkSync(aFolder(), path.join(folder, 'out'));
      makeRepository(folder);
      return folder;
    },
    act: (folder) => {
      put(folder, 'link/b.txt', 'B\n');
      put(folder, 'out/c.txt', 'not ours\n');
      fs.rmSync(path.join(folder, 'out'));
    },
    listed: ['out +0 -0', 'to/b.txt +1 -1'],
    files: ['to/b.txt'],
  },
};

describe.skipIf(!hasGit)('a repository', () => {
  it.each(Object.entries(shapes))(
    '%s shows and restores the changes of a turn',
    async (_, { make, act, listed, files }) => {
      const folder = make();
      const content = () => files.map((name) => contentOf(path.join(folder, name)));
      const [before, own] = [content(), everythingIn(folder)];
      const watched = new Watched({ folder });
      await watched.turn(() => act(folder));
      expect(await watched.list()).toEqual(listed);
      await watched.rejectAll();
      expect(content()).toEqual(before);
      expect(await watched.list()).toEqual([]);
      expect(everythingIn(folder)).toEqual(own);
      expect(fs.readdirSync(folder).filter((name) => name.endsWith('-ran'))).toEqual([]);
      expect(watched.log.lines).toEqual([]);
    },
  );

  it('is compared again after the host was killed during a snapshot', async () => {
    const folder = plain();
    const changesFolder = path.join(aFolder(), 'session');
    await new Watched({ folder, changesFolder }).turn(() => undefined);
    const [shadow] = fs.readdirSync(changesFolder).filter((name) => name.startsWith('git-'));
    put(path.join(changesFolder, shadow!), 'index.lock', '');
    const watched = new Watched({ folder, changesFolder });
    await watched.turn(() => change(folder));
    expect(await watched.list()).toEqual(['a.txt +1 -1']);
  });

  it('does not restore a file that was too large to be stored', async () => {
    const folder = aRepository({ 'a.txt': 'one\n' });
    put(folder, 'big', Buffer.alloc(6 * 1024 * 1024));
    const watched = new Watched({ folder });
    await watched.turn(() => put(folder, 'big', 'small now\n'));
    expect(await watched.list()).toEqual(['big +0 -0']);
    await expect(watched.rejectAll()).rejects.toThrow(/big was too large to be kept/);
    expect(contentOf(path.join(folder, 'big'))).toBe('small now\n');
    expect(await watched.plan('go')).toEqual([]);
  });
});

function contentOf(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
}
