import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isInGitFolder } from '../../../../src/workspace/files/run-files.ts';

describe('a folder counts as a git directory', () => {
  const folderWith = (...names: readonly string[]) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    for (const name of names) fs.mkdirSync(path.join(folder, name));
    return folder;
  };

  it('by its content, whatever its name is', async () => {
    const folder = folderWith('HEAD', 'objects', 'refs');
    expect(await isInGitFolder(path.join(folder, 'config'))).toBe(true);
    expect(await isInGitFolder(path.join(folder, 'hooks', 'new', 'post-checkout'))).toBe(true);
  });

  it('as soon as the last part of that content is written', async () => {
    expect(await isInGitFolder(path.join(folderWith('objects', 'refs'), 'HEAD'))).toBe(true);
    expect(await isInGitFolder(path.join(folderWith('HEAD', 'refs'), 'objects', 'x'))).toBe(true);
  });

  it('only with all of that content', async () => {
    expect(await isInGitFolder(path.join(folderWith('objects', 'refs'), 'config'))).toBe(false);
    expect(await isInGitFolder(path.join(folderWith(), 'HEAD'))).toBe(false);
  });
});
