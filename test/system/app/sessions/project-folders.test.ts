import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolders } from '../../../../src/app/sessions/project-folders.ts';
import { aRepository, hasGit } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';

/** A repository with a worktree beside it, and one inside of it. */
function withWorktrees() {
  const main = aRepository({ 'src/a.txt': '' });
  const [beside, inside] = [path.join(aFolder(), 'beside'), path.join(main, '.trees', 'inside')];
  for (const tree of [beside, inside])
    execFileSync('git', ['worktree', 'add', '-q', tree], { cwd: main, stdio: 'pipe' });
  return { main, beside, inside };
}

const foldersOf = async (cwd: string, ...sessions: readonly string[]) =>
  [
    ...(await projectFolders(
      cwd,
      sessions.map((each) => ({ cwd: each })),
    )),
  ].sort();

describe.runIf(hasGit)('the folders of a project', () => {
  it('are all worktrees of the repository, from each of them', async () => {
    const { main, beside, inside } = withWorktrees();
    const all = [beside, inside, main].sort();
    for (const cwd of all) expect(await foldersOf(cwd), cwd).toEqual(all);
  });

  it('do not include the top of the worktree that the folder is in', async () => {
    const { main, beside, inside } = withWorktrees();
    const cwd = path.join(main, 'src');
    expect(await foldersOf(cwd)).toEqual([beside, inside, cwd].sort());
  });

  it('do not include a worktree that was deleted', async () => {
    const { main, beside, inside } = withWorktrees();
    fs.rmSync(beside, { recursive: true });
    expect(await foldersOf(main)).toEqual([inside, main].sort());
  });

  it('have the names that sessions gave them through a symbolic link', async () => {
    const { main, beside, inside } = withWorktrees();
    const link = path.join(aFolder(), 'link');
    fs.symlinkSync(beside, link);
    const all = await foldersOf(main, link, '/nowhere', link);
    expect(all).toEqual([beside, inside, link, main].sort());
  });

  it('are the folder alone outside of a repository, and where there is no folder', async () => {
    const folder = aFolder();
    expect(await foldersOf(folder)).toEqual([folder]);
    expect(await foldersOf(path.join(folder, 'gone'))).toEqual([path.join(folder, 'gone')]);
  });
});
