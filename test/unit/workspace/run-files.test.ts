import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { changesScripts, isInGitFolder, isRunFile } from '../../../src/workspace/run-files.ts';

describe('other programs run', () => {
  it.each([
    '/work/.git/config',
    '/work/.git/hooks/pre-commit',
    '/work/.git',
    '/work/sub/.git/config',
    '/work/.GIT/config',
    '/work/.g\u200cit/config',
    '/work/.envrc',
    '/work/sub/.envrc',
    '/work/.nvim.lua',
    '/work/.nvimrc',
    '/work/.exrc',
    '/work/.ExRc',
    '/home/me/.bashrc',
    '/home/me/.zshenv',
    '/home/me/.config/fish/config.fish',
    '/home/me/.config/nvim/init.lua',
    '/work/.vscode/tasks.json',
    '/work/.vscode/settings.json',
    '/work/.idea/workspace.xml',
    '/work/.github/workflows/test.yml',
    '/work/.gitlab-ci.yml',
    '/work/Jenkinsfile',
    '/work/.husky/pre-push',
    '/work/.pre-commit-config.yaml',
    '/work/.npmrc',
    '/home/me/.gitconfig',
    '/work/.yarn/releases/yarn-4.0.0.cjs',
    '/work/.vscode/mcp.json',
  ])('%s', (file) => expect(isRunFile(file)).toBe(true));

  it.each([
    '/work/src/main.ts',
    '/work/git/config',
    '/work/.github/README.md',
    '/work/.gitignore',
    '/work/.vscode/notes.md',
    '/work/package.json',
    '/work/Makefile',
    '/work/envrc',
    '/work/my.git/notes',
  ])('but not %s', (file) => expect(isRunFile(file)).toBe(false));
});

describe('a folder is a git repository', () => {
  const folderWith = (...names: readonly string[]) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    for (const name of names) fs.mkdirSync(path.join(folder, name));
    return folder;
  };

  it('by what is in it, whatever it is called', async () => {
    const folder = folderWith('HEAD', 'objects', 'refs');
    expect(await isInGitFolder(path.join(folder, 'config'))).toBe(true);
    expect(await isInGitFolder(path.join(folder, 'hooks', 'new', 'post-checkout'))).toBe(true);
  });

  it('once the last of that is written', async () => {
    expect(await isInGitFolder(path.join(folderWith('objects', 'refs'), 'HEAD'))).toBe(true);
    expect(await isInGitFolder(path.join(folderWith('HEAD', 'refs'), 'objects', 'x'))).toBe(true);
  });

  it('and else it is not', async () => {
    expect(await isInGitFolder(path.join(folderWith('objects', 'refs'), 'config'))).toBe(false);
    expect(await isInGitFolder(path.join(folderWith(), 'HEAD'))).toBe(false);
  });
});

describe('the scripts of a package', () => {
  const manifest = (fields: object) => JSON.stringify({ name: 'shop', ...fields });
  const changes = (before: string | undefined, after: string) =>
    changesScripts('/work/package.json', before, after);

  it('are changed when one is added, changed or removed', () => {
    const scripts = { scripts: { test: 'vitest' } };
    expect(changes(manifest({}), manifest(scripts))).toBe(true);
    expect(changes(manifest(scripts), manifest({ scripts: { test: 'evil' } }))).toBe(true);
    expect(changes(manifest(scripts), manifest({}))).toBe(true);
    expect(changes(undefined, manifest(scripts))).toBe(true);
  });

  it('are not changed by a dependency', () => {
    const scripts = { scripts: { test: 'vitest' } };
    expect(changes(manifest(scripts), manifest({ ...scripts, dependencies: { a: '1' } }))).toBe(false);
    expect(changes(undefined, manifest({}))).toBe(false);
  });

  it('count as changed when nobody can read them', () => {
    expect(changes(manifest({}), '{ "scripts": ')).toBe(true);
    expect(changes('no JSON', manifest({}))).toBe(true);
  });

  it('are those of no other file', () => {
    expect(changesScripts('/work/other.json', '{}', '{ "scripts": 1 }')).toBe(false);
  });
});
