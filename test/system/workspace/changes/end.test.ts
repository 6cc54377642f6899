import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { aRepository, hasGit } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { put, Watched } from '../../../support/workspace/changes.ts';

/** Every file in a folder, with when it was written. */
function written(folder: string): readonly string[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${name} ${fs.statSync(path.join(folder, name)).mtimeMs}`).toSorted();
}

describe.skipIf(!hasGit)('the end of a session', () => {
  const aSession = () => {
    const folder = aRepository({ 'a.txt': 'one\n' });
    const changesFolder = path.join(aFolder(), 'session');
    return { folder, changesFolder, watched: new Watched({ folder, changesFolder }) };
  };

  it.each(['keep', 'reject'] as const)('waits until the last decision is on disk: %s', async (verdict) => {
    const { folder, changesFolder, watched } = aSession();
    await watched.turn(() => put(folder, 'a.txt', 'ONE\n'));
    await watched.changes.scan();
    const decided = watched.changes.decisions.decide({ verdict, scope: 'session' });
    await watched.changes.end();
    await decided;
    expect(fs.readFileSync(watched.at('a.txt'), 'utf8')).toBe(verdict === 'keep' ? 'ONE\n' : 'one\n');
    const later = new Watched({ folder, changesFolder });
    expect(await later.list()).toEqual([]);
    await later.changes.decisions.undo();
    expect(await later.list()).toEqual(['a.txt +1 -1']);
  });

  it('drops queued scans, and nothing is written afterwards', async () => {
    const { folder, changesFolder, watched } = aSession();
    await watched.turn(() => put(folder, 'a.txt', 'ONE\n'));
    const looked = watched.changes.scan();
    await watched.changes.end();
    const before = written(changesFolder);
    put(folder, 'b.txt', 'new\n');
    await looked;
    await watched.changes.scan();
    await watched.changes.onSaved(watched.at('b.txt'));
    await watched.begin('late');
    const done = watched.edits('a.txt');
    await expect(done()).rejects.toMatchObject({ code: 'cancelled' });
    const late = watched.changes.decisions.decide({ verdict: 'keep', scope: 'session' });
    await expect(late).rejects.toMatchObject({ code: 'cancelled' });
    await watched.changes.end();
    expect(written(changesFolder)).toEqual(before);
    expect(watched.log.lines).toEqual([]);
  });

  it('before the first scan starts and writes nothing', async () => {
    const { folder, changesFolder, watched } = aSession();
    watched.hear({ kind: 'session_opened', sessionId: 's', agent: 'a', cwd: folder });
    await watched.changes.end();
    expect(fs.existsSync(changesFolder)).toBe(false);
  });
});
