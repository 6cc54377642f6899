import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isInGitFolder } from '../../../../src/system/files/git-folder.ts';

describe('a folder counts as a git directory', () => {
  const folderWith = (...names: readonly string[]) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    for (const name of names) fs.mkdirSync(path.join(folder, name));
    return folder;
  };

  it('by its content, whatever its name is', () => {
    const folder = folderWith('HEAD', 'objects', 'refs');
    expect(isInGitFolder(folder)).toBe(true);
    expect(isInGitFolder(path.join(folder, 'config'))).toBe(true);
    expect(isInGitFolder(path.join(folder, 'hooks', 'new', 'post-checkout'))).toBe(true);
  });

  it('as soon as the last part of that content is written', () => {
    expect(isInGitFolder(path.join(folderWith('objects', 'refs'), 'HEAD'))).toBe(true);
    expect(isInGitFolder(path.join(folderWith('HEAD', 'refs'), 'objects', 'x'))).toBe(true);
  });

  it('only with all of that content', () => {
    expect(isInGitFolder(path.join(folderWith('objects', 'refs'), 'config'))).toBe(false);
    expect(isInGitFolder(path.join(folderWith(), 'HEAD'))).toBe(false);
  });

  it.each([
    ['HEAD', ['objects', 'refs']],
    ['objects', ['HEAD', 'refs']],
    ['refs', ['HEAD', 'objects']],
  ])('not without %s', (_, names) => {
    expect(isInGitFolder(path.join(folderWith(...names), 'config'))).toBe(false);
  });
});
