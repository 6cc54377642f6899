import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../../../src/workspace/list-files.ts';
import { aRepository, hasGit } from '../../support/system/git.ts';
import { aFolder } from '../../support/system/temp.ts';
import { unusualFileNames } from '../../support/system/unusual-file-names.ts';

const never = new AbortController().signal;

async function listed(folder: string, limit?: number): Promise<readonly string[]> {
  return [...(await listFiles(folder, never, limit))].sort();
}

function write(folder: string, ...names: readonly string[]): void {
  for (const name of names) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), '');
  }
}

describe.runIf(hasGit)('the files of a repository', () => {
  it('are the tracked and the new ones, without ignored and deleted ones', async () => {
    const folder = aRepository({
      '.gitignore': 'build/\n*.log\n',
      'a.ts': '',
      'src/b.ts': '',
      'gone.ts': '',
    });
    write(folder, 'new.ts', 'build/out.js', 'x.log');
    fs.rmSync(path.join(folder, 'gone.ts'));
    expect(await listed(folder)).toEqual(['.gitignore', 'a.ts', 'new.ts', 'src/b.ts']);
  });

  it('are relative to a folder inside it', async () => {
    const folder = aRepository({ 'a.ts': '', 'src/b.ts': '', 'src/in/c.ts': '' });
    expect(await listed(path.join(folder, 'src'))).toEqual(['b.ts', 'in/c.ts']);
  });

  it('include those of submodules, and not those of repositories that git does not know', async () => {
    const inner = aRepository({ 'lib.c': '' });
    const folder = aRepository({ 'a.ts': '' });
    const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'deps/lib'];
    execFileSync('git', add, { cwd: folder });
    fs.cpSync(aRepository({ 'other.c': '' }), path.join(folder, 'clone'), { recursive: true });
    expect(await listed(folder)).toEqual(['.gitmodules', 'a.ts', 'deps/lib/lib.c']);
  });

  it.each(unusualFileNames)('may have a name with %s', async (_, name) => {
    const folder = aRepository({ 'a.ts': '' });
    fs.writeFileSync(path.join(folder, name), '');
    expect(await listed(folder)).toContain(name);
  });

  it('are listed by walking if the whole folder is ignored', async () => {
    const folder = aRepository({ '.gitignore': 'build/\n' });
    write(folder, 'build/out.js');
    expect(await listed(path.join(folder, 'build'))).toEqual(['out.js']);
  });

  it('are listed up to a limit', async () => {
    const folder = aRepository({ a: '', b: '', c: '', d: '' });
    expect((await listed(folder, 2)).length).toBeLessThanOrEqual(2);
  });
});

describe('the files of a folder without a repository', () => {
  it('are all but those of packages and caches', async () => {
    const folder = aFolder();
    write(folder, 'a.ts', 'src/deep/b.ts', 'node_modules/x/index.js', '.cache/y', '.github/test.yml');
    expect(await listed(folder)).toEqual(['.github/test.yml', 'a.ts', 'src/deep/b.ts']);
  });

  it('are listed up to a limit, and a link to a parent folder is not followed', async () => {
    const folder = aFolder();
    write(folder, ...Array.from({ length: 50 }, (_, index) => `d${index}/f`));
    fs.symlinkSync('..', path.join(folder, 'd1', 'up'));
    expect(await listed(folder, 20)).toHaveLength(20);
    expect(await listed(folder)).toHaveLength(51);
  });

  it('are none if the folder is missing or the listing was stopped', async () => {
    expect(await listed(path.join(aFolder(), 'missing'))).toEqual([]);
    const folder = aFolder();
    write(folder, 'a/b/c');
    expect(await listFiles(folder, AbortSignal.abort())).toEqual([]);
  });
});
