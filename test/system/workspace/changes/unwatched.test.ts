import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { aRepository, hasGit } from '../../../support/system/git.ts';
import { keepSwappingPaths } from '../../../support/system/swap-paths.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { put, Watched } from '../../../support/workspace/changes.ts';

/** What the review says it could not look at. */
function unwatched(watched: Watched): readonly string[] {
  return watched.changes.ledger.unwatched.map(({ path: file, reason }) => {
    const name = path.relative(watched.folder, file);
    return `${name || '.'}: ${reason}`;
  });
}

describe.skipIf(!hasGit)('a scan of a repository', () => {
  it('sees all other files while a folder is a symlink for a time', async () => {
    const folder = aRepository({ 'b.txt': 'b\n', 'd/f.txt': 'f\n' });
    const outside = aFolder();
    put(outside, 'f.txt', 'outside\n');
    fs.symlinkSync(outside, path.join(folder, 'link'));
    const watched = new Watched({ folder });
    await watched.begin('go');
    await keepSwappingPaths(watched.at('d'), watched.at('link'));
    for (let count = 1; count <= 10; count += 1) {
      put(folder, 'b.txt', 'b\n'.repeat(count + 1));
      expect(await watched.list()).toContain(`b.txt +${count} -0`);
    }
    await watched.restore('go').catch(() => undefined);
    expect(fs.readFileSync(watched.at('b.txt'), 'utf8')).toBe('b\n');
    expect(fs.readFileSync(path.join(outside, 'f.txt'), 'utf8')).toBe('outside\n');
  });

  it('reviews files whose names git quotes', async () => {
    const folder = aRepository({ 'a.txt': 'a\n' });
    const watched = new Watched({ folder });
    await watched.turn(() => {
      for (const name of ['a.txt', 'back\\slash', 'git~1']) put(folder, name, 'changed\n');
    });
    expect(await watched.list()).toEqual(['a.txt +1 -1', 'back\\slash +1 -0', 'git~1 +1 -0']);
    expect(unwatched(watched)).toEqual([]);
  });

  it('reports a folder that can’t be read and sees all others', async () => {
    const [folder, other] = [aRepository({ 'a.txt': 'a\n' }), aFolder()];
    put(other, 'b.txt', 'b\n');
    const changesFolder = path.join(aFolder(), 'session');
    const watched = new Watched({ folder, directories: [other], changesFolder });
    await watched.begin('go');
    const [shadow] = fs.readdirSync(changesFolder).filter((name) => name.startsWith('git-'));
    const objects = path.join(changesFolder, shadow!, 'objects');
    fs.renameSync(objects, `${objects}.aside`);
    fs.writeFileSync(objects, 'no folder');
    put(folder, 'a.txt', 'A\n');
    put(other, 'b.txt', 'B\n');
    const inOther = `${path.relative(folder, path.join(other, 'b.txt'))} +1 -1`;
    expect(await watched.list()).toEqual([inOther]);
    expect(unwatched(watched)).toEqual([expect.stringMatching(/^\.: could not be compared: git /)]);
    fs.rmSync(objects);
    fs.renameSync(`${objects}.aside`, objects);
    expect(await watched.list()).toEqual([inOther, 'a.txt +1 -1']);
    expect(unwatched(watched)).toEqual([]);
  });
});

it('a file that is too large to be kept is reported when the agent has changed it', async () => {
  const folder = aFolder();
  put(folder, 'big', Buffer.alloc(6 * 1024 * 1024));
  const watched = new Watched({ folder });
  await watched.turn(() => put(folder, 'big', Buffer.alloc(7 * 1024 * 1024)));
  expect(await watched.list()).toEqual([]);
  expect(unwatched(watched)).toEqual([expect.stringMatching(/^big: was changed; it is too large/)]);
});

it('a file whose original can’t be read any more is reported, and the others are restored', async () => {
  const folder = aFolder();
  for (const name of ['a.txt', 'b.txt']) put(folder, name, `${name}\n`);
  const changesFolder = path.join(aFolder(), 'session');
  const watched = new Watched({ folder, changesFolder });
  await watched.turn(() => {
    for (const name of ['a.txt', 'b.txt']) put(folder, name, 'changed\n');
  }, 'go');
  const blobs = path.join(changesFolder, 'blobs');
  for (const name of fs.readdirSync(blobs, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(blobs, name);
    if (fs.statSync(file).isFile() && fs.readFileSync(file, 'utf8') === 'a.txt\n') fs.rmSync(file);
  }
  expect(await watched.plan('go')).toEqual(['b.txt']);
  expect(unwatched(watched)).toEqual([expect.stringMatching(/^a\.txt: /)]);
  await watched.restore('go');
  expect(fs.readFileSync(watched.at('b.txt'), 'utf8')).toBe('b.txt\n');
});
