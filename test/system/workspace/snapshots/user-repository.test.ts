import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRepository } from '../../../../src/workspace/snapshots/user-repository.ts';
import { aRepository, hasGit } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';

describe.runIf(hasGit)('the repository of a folder', () => {
  it('is found from a folder inside it', async () => {
    const root = aRepository({ 'src/in/a.ts': '' });
    const found = await findRepository(path.join(root, 'src/in'));
    expect(found).toMatchObject({ root: fs.realpathSync(root), objectFormat: 'sha1' });
    expect(found?.index).toBe(path.join(fs.realpathSync(root), '.git/index'));
  });

  it('is found through a link to a folder inside it', async () => {
    const root = aRepository({ 'src/a.ts': '' });
    const link = path.join(aFolder(), 'link');
    fs.symlinkSync(path.join(root, 'src'), link);
    expect((await findRepository(link))?.root).toBe(fs.realpathSync(root));
  });

  it('is found in a linked work tree, whose .git is a file', async () => {
    const root = aRepository({ 'a.ts': '' });
    const tree = path.join(aFolder(), 'tree');
    execFileSync('git', ['worktree', 'add', '--quiet', '--detach', tree], { cwd: root });
    expect((await findRepository(tree))?.root).toBe(fs.realpathSync(tree));
  });

  it('is missing where no folder above has one, and in a broken one', async () => {
    const folder = aFolder();
    expect(await findRepository(folder)).toBeUndefined();
    fs.writeFileSync(path.join(folder, '.git'), 'nonsense');
    expect(await findRepository(folder)).toBeUndefined();
  });
});
