import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { put, Watched } from '../../../support/changes.ts';
import { aRepository, hasGit } from '../../../support/git.ts';
import { aFolder } from '../../../support/temp.ts';

/** Every file in a folder, with when it was written. */
function written(folder: string): readonly string[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${name} ${fs.statSync(path.join(folder, name)).mtimeMs}`).toSorted();
}

describe.skipIf(!hasGit)('the end of a session', () => {
  const aSession = () => {
    const folder = aRepository({ 'a.txt': 'one\n' });
    const state = path.join(aFolder(), 'session');
    return { folder, state, watched: new Watched({ folder, state }) };
  };

  it.each(['keep', 'reject'] as const)(
    'waits until what was decided last is on disk: %s',
    async (verdict) => {
      const { folder, state, watched } = aSession();
      await watched.turn(() => put(folder, 'a.txt', 'ONE\n'));
      await watched.changes.look();
      const decided = watched.changes.decisions.decide({ verdict, scope: 'session' });
      await watched.changes.end();
      await decided;
      expect(fs.readFileSync(watched.at('a.txt'), 'utf8')).toBe(verdict === 'keep' ? 'ONE\n' : 'one\n');
      const later = new Watched({ folder, state });
      expect(await later.list()).toEqual([]);
      await later.changes.decisions.undo();
      expect(await later.list()).toEqual(['a.txt +1 -1']);
    },
  );

  it('leaves undone what was only to be looked at, and nothing is written any more', async () => {
    const { folder, state, watched } = aSession();
    await watched.turn(() => put(folder, 'a.txt', 'ONE\n'));
    const looked = watched.changes.look();
    await watched.changes.end();
    const before = written(state);
    put(folder, 'b.txt', 'new\n');
    await looked;
    await watched.changes.look();
    await watched.changes.saved(watched.at('b.txt'));
    await watched.begin('late');
    const done = watched.edits('a.txt');
    await expect(done()).rejects.toMatchObject({ code: 'cancelled' });
    const late = watched.changes.decisions.decide({ verdict: 'keep', scope: 'session' });
    await expect(late).rejects.toMatchObject({ code: 'cancelled' });
    await watched.changes.end();
    expect(written(state)).toEqual(before);
    expect(watched.log.lines).toEqual([]);
  });

  it('before anything was looked at starts and writes nothing', async () => {
    const { folder, state, watched } = aSession();
    watched.hear({ kind: 'session_opened', sessionId: 's', agent: 'a', cwd: folder });
    await watched.changes.end();
    expect(fs.existsSync(state)).toBe(false);
  });
});
