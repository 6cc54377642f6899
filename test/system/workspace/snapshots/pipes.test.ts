import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../../../src/workspace/snapshots/git.ts';
import { GitStore } from '../../../../src/workspace/snapshots/git-store.ts';
import { aRepository, hasGit } from '../../../support/system/git.ts';
import { isMet } from '../../../support/system/requirements.ts';
import { aFolder } from '../../../support/system/temp.ts';

const isPossible = hasGit && isMet(process.platform === 'linux', 'only Linux tells what a process waits for');

function putPipe(file: string): void {
  fs.rmSync(file, { force: true });
  execFileSync('mkfifo', [file]);
}

describe.runIf(isPossible)('a named pipe', () => {
  it('in the place of a .gitignore ends git soon', async () => {
    const root = aRepository({ 'a.txt': '', 'sub/b.txt': '' });
    putPipe(path.join(root, 'sub/.gitignore'));
    const listed = git(['ls-files', '-o', '--exclude-standard'], { cwd: root });
    await expect(listed).rejects.toThrow('is a named pipe');
  });

  it.each(['info/exclude', 'index'])('in the place of .git/%s does not block the host', async (name) => {
    const root = aRepository({ 'a.txt': '' });
    putPipe(path.join(root, '.git', name));
    expect(await GitStore.open(root, aFolder())).toBeInstanceOf(GitStore);
  });
});
