import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Deeds } from '../../../../src/workspace/changes/deeds.ts';
import { put, Watched } from '../../../support/changes.ts';
import { Deferred, ManualClock } from '../../../support/doubles.ts';
import { aRepository, hasGit } from '../../../support/git.ts';
import { aFolder } from '../../../support/temp.ts';
import { waitFor } from '../../../support/wait.ts';

const files = { '.gitignore': '.env\ndist\n', 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' };

/** Two sessions in one folder. */
function aPair() {
  const folder = aRepository(files);
  const deeds = new Deeds();
  const clock = new ManualClock();
  const [one, other] = [new Watched({ folder, deeds, clock }), new Watched({ folder, deeds, clock })];
  return { folder, clock, one, other };
}

describe.skipIf(!hasGit)('of two sessions in one folder', () => {
  it.each<[string, (one: Watched) => Promise<void>]>([
    ['through us', (one) => one.write('a.txt', 'ONE\ntwo\nthree\n')],
    [
      'with a tool of its own',
      async (one) => {
        const end = one.edits('a.txt');
        await one.settled();
        put(one.folder, 'a.txt', 'ONE\ntwo\nthree\n');
        await end();
      },
    ],
  ])('what one writes %s is not the other’s, though both work', async (_, write) => {
    const { one, other } = aPair();
    await one.begin();
    await other.begin();
    await write(one);
    await other.edits('b.txt')();
    await other.end();
    await one.end();
    expect(await one.list()).toEqual(['a.txt +1 -1']);
    expect(await other.list()).toEqual([]);
    await other.rejectAll();
    expect(fs.readFileSync(one.at('a.txt'), 'utf8')).toBe('ONE\ntwo\nthree\n');
  });

  it('what one has begun to edit is not the other’s, who finds it first', async () => {
    const { one, other } = aPair();
    await one.begin();
    await other.begin();
    const end = one.edits('a.txt');
    await one.settled();
    put(one.folder, 'a.txt', 'ONE\ntwo\nthree\n');
    await other.edits('b.txt')();
    expect(await other.list()).toEqual([]);
    await end();
    await one.end();
    await other.end();
    expect([await one.list(), await other.list()]).toEqual([['a.txt +1 -1'], []]);
  });

  it('each has its own lines of a file that both write', async () => {
    const { one, other } = aPair();
    await one.begin();
    await other.begin();
    await one.write('a.txt', 'ONE\ntwo\nthree\n');
    await other.write('a.txt', 'ONE\ntwo\nTHREE\n');
    await one.end();
    await other.end();
    expect([await one.list(), await other.list()]).toEqual([['a.txt +1 -1'], ['a.txt +1 -1']]);
    await other.rejectAll();
    expect(fs.readFileSync(one.at('a.txt'), 'utf8')).toBe('ONE\ntwo\nthree\n');
    await one.rejectAll();
    expect(fs.readFileSync(one.at('a.txt'), 'utf8')).toBe(files['a.txt']);
  });

  it('each has its own lines when one of them wrote unseen after the other', async () => {
    const { one, other } = aPair();
    await one.begin();
    await other.begin();
    await one.write('a.txt', 'ONE\ntwo\nthree\n');
    put(one.folder, 'a.txt', 'ONE\ntwo\nTHREE\n');
    await other.end();
    expect(await other.list()).toEqual(['a.txt +1 -1']);
    await other.rejectAll();
    expect(fs.readFileSync(one.at('a.txt'), 'utf8')).toBe('ONE\ntwo\nthree\n');
  });

  it('what is found while only one works is that one’s, and no change of the user', async () => {
    const { one, other, clock } = aPair();
    await other.turn(() => put(other.folder, 'b.txt', 'B\n'), 'theirs');
    clock.advance(1_000);
    await one.turn(() => put(one.folder, 'a.txt', 'changed\n'));
    expect([await one.list(), await other.list()]).toEqual([['a.txt +1 -3'], ['b.txt +1 -1']]);
    expect(await other.plan('theirs')).toEqual(['a.txt other', 'b.txt']);
    clock.advance(1_000);
    await other.turn(() => put(one.folder, 'b.txt', 'BB\n'));
    expect([await one.list(), await other.list()]).toEqual([['a.txt +1 -3'], ['b.txt +1 -1']]);
  });

  it('what can be anybody’s counts for both', async () => {
    const { one, other } = aPair();
    await one.begin();
    await other.begin();
    put(one.folder, 'new.txt', 'new\n');
    await other.end();
    await one.end();
    expect([await one.list(), await other.list()]).toEqual([['new.txt +1 -0'], ['new.txt +1 -0']]);
  });

  it('what the user rejects in one is no work of the other', async () => {
    const { one, other } = aPair();
    await one.turn(() => put(one.folder, 'a.txt', 'changed\n'));
    await other.begin();
    await one.rejectAll();
    await other.end();
    expect(fs.readFileSync(one.at('a.txt'), 'utf8')).toBe(files['a.txt']);
    expect(await other.list()).toEqual([]);
  });

  it('knows each its own after a restart, texts that came from the other included', async () => {
    const folder = aRepository(files);
    const deeds = new Deeds();
    const state = path.join(aFolder(), 'session');
    const [one, other] = [new Watched({ folder, deeds }), new Watched({ folder, deeds, state })];
    await one.begin();
    await other.begin();
    await one.write('a.txt', 'ONE\ntwo\nthree\n');
    put(folder, 'a.txt', 'ONE\ntwo\nTHREE\n');
    await other.end();
    await one.end();
    const again = new Watched({ folder, state });
    expect(await again.list()).toEqual(['a.txt +1 -1']);
  });
});

describe.skipIf(!hasGit)('what an agent changes before all is noted', () => {
  /** A session that was sent its prompt while the files are still looked at. */
  async function aHasty() {
    const folder = aRepository({ ...files, 'known.txt': 'k\n' });
    const watched = new Watched({ folder });
    await watched.turn(() => watched.write('known.txt', 'K\n'), 'first');
    const { folders } = watched.changes.ledger;
    const go = new Deferred<void>();
    const take = folders.take.bind(folders);
    folders.take = async () => {
      await go.promise;
      return take();
    };
    const noting = watched.begin('second');
    return {
      watched,
      folder,
      note: async () => {
        go.resolve();
        await noting;
      },
    };
  }

  it.each<[string, string, (watched: Watched) => Promise<unknown>]>([
    ['by a write through us', 'a.txt', (watched) => watched.write('a.txt', 'ONE\ntwo\nthree\n')],
    ['in a file that is ignored', '.env', (watched) => watched.write('.env', 'KEY=1\n')],
    ['in a file that it changed before', 'known.txt', (watched) => watched.write('known.txt', 'K\nmore\n')],
    [
      'where a call names it',
      'a.txt',
      async (watched) => {
        const end = watched.edits('a.txt');
        await waitFor(() => watched.changes.ledger.hasGlimpsed(watched.at('a.txt')));
        await watched.changes.ledger.glimpse(watched.at('a.txt'));
        put(watched.folder, 'a.txt', 'ONE\ntwo\nthree\n');
        void end();
      },
    ],
    [
      'where a call that is over shows it',
      'a.txt',
      async (watched) => {
        put(watched.folder, 'a.txt', 'ONE\ntwo\nthree\n');
        watched.tool({
          ...{ toolCallId: 'late', toolKind: 'edit', status: 'done' },
          content: [{ kind: 'diff', path: watched.at('a.txt'), oldText: 'one\n', newText: 'ONE\n' }],
        } as never);
      },
    ],
  ])('is its own %s', async (_, name, write) => {
    const { watched, note } = await aHasty();
    await write(watched);
    await note();
    await watched.end();
    expect(await watched.list('turn')).toEqual([expect.stringContaining(name)]);
    expect(await watched.plan('second')).toEqual([name]);
  });
});

it('a file that the user saves is theirs, though it is gone for a moment while they do', async () => {
  const folder = aFolder();
  put(folder, 'a.txt', 'one\n');
  const watched = new Watched({ folder });
  await watched.begin();
  await watched.write('a.txt', 'ONE\n');
  const file = watched.at('a.txt');
  fs.rmSync(file);
  // Neovim answers when the file is there again, and has told of it before.
  watched.answer = () => {
    if (fs.existsSync(file)) return;
    put(folder, 'a.txt', 'ONE\nmine\n');
    void watched.changes.saved(file);
  };
  await watched.changes.look();
  await watched.end();
  expect(await watched.list()).toEqual(['a.txt +1 -1']);
  await watched.rejectAll();
  expect(fs.readFileSync(file, 'utf8')).toBe('one\nmine\n');
});
