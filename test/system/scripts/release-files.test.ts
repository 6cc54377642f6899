import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { releaseFiles } from '../../../scripts/release-files.mjs';
import { aRepository, hasGit } from '../../support/system/git.ts';

function aPlugin(): string {
  return aRepository({
    ...{ 'lua/a\tb.lua': '', 'README.md': '', 'src/main.ts': '', '.env': 'KEY=hunter2' },
    ...{ '.gitignore': 'dist\n', 'dist/host.js': '', 'dist/host.js.123': '' },
  });
}

describe.runIf(hasGit)('a release', () => {
  it('has the files that git knows and the bundles, and no others', () => {
    expect(releaseFiles(aPlugin())).toEqual(['README.md', 'lua/a\tb.lua', 'dist/host.js']);
  });

  it('is not made with a file that git does not know', () => {
    const root = aPlugin();
    fs.writeFileSync(path.join(root, 'lua/.env'), 'KEY=hunter2');
    expect(() => releaseFiles(root)).toThrow('git add or remove first: lua/.env');
  });

  it('is not made with a link, which may lead to a file of the machine', () => {
    const root = aPlugin();
    fs.symlinkSync('/etc/passwd', path.join(root, 'lua/link.lua'));
    execFileSync('git', ['add', '-A'], { cwd: root });
    expect(() => releaseFiles(root)).toThrow('lua/link.lua is a link');
  });
});
