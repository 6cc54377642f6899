import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { Deferred } from '../../../support/doubles/deferred.ts';
import { aRepository, hasGit } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { waitFor } from '../../../support/wait.ts';
import { aSharedEditor, put, Watched } from '../../../support/workspace/changes.ts';

const files = { '.gitignore': '.env\ndist\n', 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' };

/** Two sessions in one folder. */
function aPair() {
  const folder = aRepository(files);
  const shared = aSharedEditor();
  const clock = new ManualClock();
  const [one, other] = [new Watched({ folder, shared, clock }), new Watched({ folder, shared, clock })];
  return { folder, clock, one, other };
}

describe.skipIf(!hasGit)('two sessions in one folder', () => {
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
  ])('do not share a change that one makes %s while both are in a turn', async (_, write) => {
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

  it('attribute a file to the session whose tool call names it, whoever finds the change', async () => {
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

  it('each review their own lines of a file that both write', async () => {
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

  it('each review their own lines when one writes unnoticed after the other', async () => {
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

  it('attribute a change to the only session in a turn, not to the user', async () => {
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

  it('both review a change that either may have made', async () => {
    const { one, other } = aPair();
    await one.begin();
    await other.begin();
    put(one.folder, 'new.txt', 'new\n');
    await other.end();
    await one.end();
    expect([await one.list(), await other.list()]).toEqual([['new.txt +1 -0'], ['new.txt +1 -0']]);
  });

  it('do not review what the user rejected in the other', async () => {
    const { one, other } = aPair();
    await one.turn(() => put(one.folder, 'a.txt', 'changed\n'));
    await other.begin();
    await one.rejectAll();
    await other.end();
    expect(fs.readFileSync(one.at('a.txt'), 'utf8')).toBe(files['a.txt']);
    expect(await other.list()).toEqual([]);
  });

  it('each keep their own changes after a restart', async () => {
    const folder = aRepository(files);
    const shared = aSharedEditor();
    const changesFolder = path.join(aFolder(), 'session');
    const [one, other] = [new Watched({ folder, shared }), new Watched({ folder, shared, changesFolder })];
    await one.begin();
    await other.begin();
    await one.write('a.txt', 'ONE\ntwo\nthree\n');
    put(folder, 'a.txt', 'ONE\ntwo\nTHREE\n');
    await other.end();
    await one.end();
    const again = new Watched({ folder, changesFolder });
    expect(await again.list()).toEqual(['a.txt +1 -1']);
  });
});

describe.skipIf(!hasGit)('a change of the agent during the snapshot of its turn', () => {
  /** A session that was sent its prompt while the files are still looked at. */
  async function aHasty() {
    const folder = aRepository({ ...files, 'known.txt': 'k\n' });
    const clock = new ManualClock();
    const watched = new Watched({ folder, clock });
    await watched.turn(() => watched.write('known.txt', 'K\n'), 'first');
    const { snapshots } = watched.changes.ledger;
    const go = new Deferred<void>();
    const take = snapshots.take.bind(snapshots);
    snapshots.take = async () => {
      await go.promise;
      return take();
    };
    const noting = watched.begin('second');
    return {
      watched,
      clock,
      folder,
      note: async () => {
        go.resolve();
        await noting;
      },
    };
  }

  /** The agent writes a file without naming it, once its prompt was sent early. */
  const putUnnamed = (name: string, text: string) => async (watched: Watched) => {
    watched.changes.allowEarlyPrompt();
    put(watched.folder, name, text);
  };

  it.each<[string, string, (watched: Watched) => Promise<unknown>]>([
    ['if it is written through us', 'a.txt', (watched) => watched.write('a.txt', 'ONE\ntwo\nthree\n')],
    ['in a file that git ignores', '.env', (watched) => watched.write('.env', 'KEY=1\n')],
    [
      'in a file that it changed in an earlier turn',
      'known.txt',
      (watched) => watched.write('known.txt', 'K\nmore\n'),
    ],
    [
      'in a file that a tool call names',
      'a.txt',
      async (watched) => {
        const end = watched.edits('a.txt');
        await waitFor(() => watched.changes.ledger.hasEarlyContent(watched.at('a.txt')));
        await watched.changes.ledger.noteEarlyContent(watched.at('a.txt'));
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
    ['by itself', 'a.txt', putUnnamed('a.txt', 'ONE\ntwo\nthree\n')],
    [
      'by itself in a file that it changed in an earlier turn',
      'known.txt',
      putUnnamed('known.txt', 'K\nmore\n'),
    ],
    ['by itself in a new file', 'new.txt', putUnnamed('new.txt', 'new\n')],
    [
      'by itself if it deletes a file',
      'b.txt',
      async (watched) => {
        watched.changes.allowEarlyPrompt();
        fs.rmSync(watched.at('b.txt'));
      },
    ],
  ])('is attributed to the agent %s', async (_, name, write) => {
    const { watched, note } = await aHasty();
    await write(watched);
    await note();
    await watched.end();
    expect(await watched.list('turn')).toEqual([expect.stringContaining(name)]);
    expect(await watched.plan('second')).toEqual([name]);
  });

  it('is none of the agent if it was made before the prompt was sent', async () => {
    const { watched, clock, folder, note } = await aHasty();
    put(folder, 'a.txt', 'ONE\ntwo\nthree\n');
    clock.advance(Date.now() + 60_000);
    watched.changes.allowEarlyPrompt();
    await note();
    await watched.end();
    expect(await watched.list()).toEqual(['known.txt +1 -1']);
  });

  it('is found in the first turn, if the user has written its prompt', async () => {
    const watched = new Watched({ folder: aRepository(files) });
    watched.hear({ kind: 'session_opened', sessionId: 's1', agent: 'agent', cwd: '/' });
    expect(watched.changes.allowEarlyPrompt()).toBe(false);
    await watched.changes.prepareTurn();
    const begun = watched.begin();
    expect(watched.changes.allowEarlyPrompt()).toBe(true);
    put(watched.folder, 'a.txt', 'ONE\ntwo\nthree\n');
    await begun;
    await watched.end();
    expect(await watched.list('turn')).toEqual(['a.txt +1 -1']);
  });
});

it('a save of the user is attributed to them although the file is missing for a moment', async () => {
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
    void watched.changes.onSaved(file);
  };
  await watched.changes.scan();
  await watched.end();
  expect(await watched.list()).toEqual(['a.txt +1 -1']);
  await watched.rejectAll();
  expect(fs.readFileSync(file, 'utf8')).toBe('one\nmine\n');
});

describe('a save of the user during the turn', () => {
  /** The agent has changed line 2, and the user has just saved line 3. */
  async function aSave() {
    const folder = aFolder();
    put(folder, 'a.txt', 'one\ntwo\nthree\nfour\n');
    const watched = new Watched({ folder });
    await watched.begin();
    await watched.write('a.txt', 'one\nTWO\nthree\nfour\n');
    put(folder, 'a.txt', 'one\nTWO\nmine\nfour\n');
    return { folder, watched, file: watched.at('a.txt') };
  }

  it('does not include what the agent writes while Neovim is asked about the save', async () => {
    const { folder, watched, file } = await aSave();
    let asked = 0;
    watched.answer = () => {
      asked += 1;
      // The first answer ends the wait for the save, the second one shows that its text is the user’s.
      if (asked === 2) put(folder, 'a.txt', 'one\nTWO\nMINE\nfour\n');
    };
    await watched.changes.onSaved(file);
    await watched.end();
    expect(await watched.list()).toEqual(['a.txt +2 -2']);
    await watched.rejectAll();
    expect(fs.readFileSync(file, 'utf8')).toBe('one\ntwo\nmine\nfour\n');
  });

  it('is not a deletion if the agent deletes the file then', async () => {
    const { watched, file } = await aSave();
    watched.answer = () => fs.rmSync(file, { force: true });
    await watched.changes.onSaved(file);
    await watched.end();
    expect(await watched.list()).toEqual(['a.txt +0 -4']);
  });

  it('is found whole if the next save begins while it is compared', async () => {
    const { folder, watched, file } = await aSave();
    let asked = 0;
    watched.answer = () => {
      asked += 1;
      if (asked === 1) fs.rmSync(file);
      if (asked !== 2) return;
      put(folder, 'a.txt', 'one\nTWO\nmine\nfour, mine\n');
      void watched.changes.onSaved(file);
    };
    await watched.changes.onSaved(file);
    await watched.end();
    expect(await watched.list()).toEqual(['a.txt +1 -1']);
    await watched.rejectAll();
    expect(fs.readFileSync(file, 'utf8')).toBe('one\ntwo\nmine\nfour, mine\n');
  });
});
