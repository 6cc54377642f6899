import fs from 'node:fs';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { aRepository, hasGit } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { put, Watched } from '../../../support/workspace/changes.ts';

const large = 'x'.repeat(6 * 1024 * 1024);

/** Removes the object of a file from the user's repository. */
function loseObject(folder: string, text: string): void {
  const objects = path.join(folder, '.git', 'objects');
  const names = fs.readdirSync(objects, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => path.join(objects, name)).filter((file) => fs.statSync(file).isFile());
  for (const file of files) if (inflateSync(fs.readFileSync(file)).toString().endsWith(text)) fs.rmSync(file);
}

describe('a restore says what it can’t do', () => {
  it.skipIf(!hasGit)('for a file whose object is missing in the repository', async () => {
    const folder = aRepository({ 'a.txt': 'precious\n', 'b.txt': 'b\n' });
    const watched = new Watched({ folder });
    await watched.turn(() => put(folder, 'a.txt', 'agent\n'));
    loseObject(folder, 'precious\n');
    expect(await watched.plan('go')).toEqual([]);
    expect(await watched.impossible('go')).toEqual([expect.stringMatching(/^a\.txt could not be read: /)]);
  });

  it.skipIf(!hasGit)('for a folder of which no snapshot could be taken then', async () => {
    const folder = aRepository({ 'a.txt': 'a\n' });
    const changesFolder = path.join(aFolder(), 'session');
    const watched = new Watched({ folder, changesFolder });
    await watched.begin('first');
    await watched.end();
    const [shadow] = fs.readdirSync(changesFolder).filter((name) => name.startsWith('git-'));
    const objects = path.join(changesFolder, shadow!, 'objects');
    fs.renameSync(objects, `${objects}.aside`);
    fs.writeFileSync(objects, 'no folder');
    put(folder, 'b.txt', 'not noted\n');
    await watched.begin('second');
    fs.rmSync(objects);
    fs.renameSync(`${objects}.aside`, objects);
    put(folder, 'a.txt', 'agent\n');
    await watched.end();
    expect(await watched.plan('second')).toEqual([]);
    expect(await watched.impossible('second')).toEqual([' has no snapshot of that prompt']);
  });

  it.each([
    ['a repository', true],
    ['a folder', false],
  ])('for a file that is too large to be kept: %s', async (_, isRepository) => {
    const folder = isRepository ? aRepository({ 'b.txt': 'b\n' }) : aFolder();
    for (const name of ['deleted', 'smaller', 'other', 'same']) put(folder, name, large);
    const watched = new Watched({ folder });
    await watched.turn(() => {
      fs.rmSync(watched.at('deleted'));
      put(folder, 'smaller', 'small\n');
      put(folder, 'other', `y${large}`);
      put(folder, 'new', 'new\n');
    });
    const reason = 'was over 5 MB or not readable then, so its content was not kept';
    expect(await watched.plan('go')).toEqual(['new']);
    expect(await watched.impossible('go')).toEqual([
      `deleted ${reason}`,
      `other ${reason}`,
      `smaller ${reason}`,
    ]);
  });
});
