import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { aRepository, hasGit } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { waitFor } from '../../../support/wait.ts';
import { put, Watched } from '../../../support/workspace/changes.ts';

const files = { '.gitignore': '.env\ndist\n', 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' };

describe.skipIf(!hasGit)('a file that git ignores', () => {
  it('is reviewed and restored if the agent writes it through us', async () => {
    const folder = aRepository(files);
    put(folder, '.env', 'KEY=1\n');
    const watched = new Watched({ folder });
    await watched.turn(() => put(folder, 'b.txt', 'B\n'), 'first');
    await watched.turn(() => watched.write('.env', 'KEY=2\n'), 'second');
    await watched.turn(() => watched.write('.env', 'KEY=3\n'), 'third');
    expect(await watched.list()).toEqual(['.env +1 -1', 'b.txt +1 -1']);
    expect(await watched.plan('first')).toEqual(['b.txt']);
    expect(await watched.plan('third')).toEqual(['.env']);
    const [third] = await watched.changes.checkpoints.list();
    expect(third).toMatchObject({ prompt: 'third', changed: 1 });
    await watched.changes.checkpoints.restore(third!.id, false);
    expect(fs.readFileSync(watched.at('.env'), 'utf8')).toBe('KEY=2\n');
    const second = watched.changes.ledger.checkpoints.find(({ prompt }) => prompt === 'second')!;
    await watched.changes.checkpoints.restore(second.id, false);
    expect(fs.readFileSync(watched.at('.env'), 'utf8')).toBe('KEY=1\n');
    await watched.changes.checkpoints.restore(watched.changes.checkpoints.lastRestore!, false);
    expect(fs.readFileSync(watched.at('.env'), 'utf8')).toBe('KEY=2\n');
  });
});

it.skipIf(!hasGit)('the original of a file is recorded when the agent asks to edit it', async () => {
  const folder = aRepository(files);
  put(folder, '.env', 'KEY=1\n');
  const watched = new Watched({ folder });
  await watched.turn(async () => {
    const content = [{ kind: 'diff', path: watched.at('.env'), oldText: 'KEY=1\n', newText: 'KEY=2\n' }];
    watched.tool({ toolCallId: 'asked', toolKind: 'edit', status: 'pending', content } as never);
    await watched.settled();
    put(folder, '.env', 'KEY=2\nMORE=1\n');
  });
  expect(await watched.list()).toEqual(['.env +2 -1']);
  await watched.rejectAll();
  expect(fs.readFileSync(watched.at('.env'), 'utf8')).toBe('KEY=1\n');
});

it.each([true, false].filter((isRepository) => hasGit || !isRepository))(
  'a file that becomes a program can be made none again (repository: %s)',
  async (isRepository) => {
    const folder = isRepository ? aRepository(files) : aFolder();
    if (!isRepository) put(folder, 'a.txt', files['a.txt']);
    const watched = new Watched({ folder });
    const mode = () => fs.statSync(watched.at('a.txt')).mode & 0o777;
    const before = mode();
    await watched.turn(() => fs.chmodSync(watched.at('a.txt'), 0o755));
    expect(await watched.list()).toEqual(['a.txt +0 -0']);
    await watched.rejectAll();
    expect([mode(), await watched.list()]).toEqual([before, []]);
    await watched.changes.decisions.undo();
    expect(mode() & 0o111).toBe(0o111);
  },
);

describe('restoring a checkpoint', () => {
  /** Two turns, of which the first is kept. */
  async function aKept() {
    const folder = aFolder();
    const changesFolder = path.join(aFolder(), 'session');
    put(folder, 'a.txt', 'one\ntwo\nthree\n');
    put(folder, 'b.txt', 'b\n');
    const watched = new Watched({ folder, changesFolder });
    await watched.turn(() => put(folder, 'a.txt', 'ONE\ntwo\nthree\n'), 'first');
    await watched.changes.decisions.decide({ verdict: 'keep', scope: 'session' });
    await watched.turn(() => {
      put(folder, 'a.txt', 'ONE\ntwo\n');
      fs.rmSync(path.join(folder, 'b.txt'));
    }, 'second');
    return { watched, changesFolder };
  }

  it.each([
    ['first', 'one\ntwo\nthree\n'],
    ['second', 'ONE\ntwo\nthree\n'],
  ])('before the %s prompt leaves only changes of the agent to review', async (prompt, text) => {
    const { watched } = await aKept();
    await watched.restore(prompt);
    expect(fs.readFileSync(watched.at('a.txt'), 'utf8')).toBe(text);
    expect(await watched.list()).toEqual([]);
  });

  it('and undoing that restores the review, also after a restart', async () => {
    const { watched, changesFolder } = await aKept();
    expect(await watched.list()).toEqual(['a.txt +0 -1', 'b.txt +0 -1']);
    await watched.restore('first');
    const again = new Watched({ folder: watched.folder, changesFolder });
    await again.changes.scan();
    await again.changes.checkpoints.restore(again.changes.checkpoints.lastRestore!, false);
    expect(await again.list()).toEqual(['a.txt +0 -1', 'b.txt +0 -1']);
    await again.rejectAll();
    expect(fs.readFileSync(again.at('a.txt'), 'utf8')).toBe('ONE\ntwo\nthree\n');
    expect(fs.readFileSync(again.at('b.txt'), 'utf8')).toBe('b\n');
  });
});

it('decisions and unsent rejections survive a restart', async () => {
  const folder = aFolder();
  put(folder, 'a.txt', 'one\n');
  const changesFolder = path.join(aFolder(), 'session');
  const watched = new Watched({ folder, changesFolder });
  await watched.turn(() => put(folder, 'a.txt', 'ONE\n'));
  await watched.rejectAll();
  const again = new Watched({ folder, changesFolder });
  expect(await again.changes.decisions.takeRejections()).toEqual([
    { path: again.at('a.txt'), line: 1, wanted: ['one\n'], unwanted: ['ONE\n'] },
  ]);
  expect(await again.changes.decisions.undo()).toMatchObject({ path: again.at('a.txt'), row: 0 });
  expect(fs.readFileSync(again.at('a.txt'), 'utf8')).toBe('ONE\n');
  expect(await again.list()).toEqual(['a.txt +1 -1']);
});

it('decisions that an earlier version has saved are read', async () => {
  const folder = aFolder();
  put(folder, 'a.txt', 'one\n');
  const changesFolder = path.join(aFolder(), 'session');
  const watched = new Watched({ folder, changesFolder });
  await watched.turn(() => put(folder, 'a.txt', 'ONE\n'));
  await watched.rejectAll();
  const saved = path.join(changesFolder, 'state.json');
  const state = fs.readFileSync(saved, 'utf8');
  const earlier = state.replaceAll('"decision":', '"done":').replace('"path":', '"isApart":true,"path":');
  expect(earlier).toContain('"done":"rejected"');
  fs.writeFileSync(saved, earlier);
  const again = new Watched({ folder, changesFolder });
  await again.changes.scan();
  const [file] = again.changes.ledger.files.all();
  expect(file).toMatchObject({ decision: 'rejected', isOutsideSnapshots: true });
  expect(file).not.toHaveProperty('done');
});

it('changes before the end of an interrupted turn are the agent’s, later changes are not', async () => {
  const folder = aFolder();
  for (const name of ['a.txt', 'b.txt', 'c.txt']) put(folder, name, 'one\n');
  const changesFolder = path.join(aFolder(), 'session');
  const clock = new ManualClock();
  const watched = new Watched({ folder, changesFolder, clock });
  await watched.begin('first');
  clock.advance(5_000);
  const before = new Date(clock.now() - 1_000);
  put(folder, 'a.txt', 'ONE\n');
  fs.utimesSync(path.join(folder, 'a.txt'), before, before);
  fs.rmSync(path.join(folder, 'c.txt'));
  await watched.changes.end();
  const after = new Date(clock.now() + 1_000);
  put(folder, 'b.txt', 'mine\n');
  fs.utimesSync(path.join(folder, 'b.txt'), after, after);
  const again = new Watched({ folder, changesFolder, clock });
  expect(await again.list()).toEqual(['a.txt +1 -1', 'c.txt +0 -1']);
  expect(await again.plan('first')).toEqual(['a.txt', 'b.txt user', 'c.txt']);
  // It is asked once: what happens now is seen.
  put(folder, 'c.txt', 'mine\n');
  expect(await again.plan('first')).toEqual(['a.txt', 'b.txt user', 'c.txt user']);
});

it('the snapshot stores are opened before the first prompt', async () => {
  const folder = aFolder();
  const watched = new Watched({ folder });
  watched.hear({ kind: 'session_opened', sessionId: 's', agent: 'a', cwd: folder });
  await waitFor(() => watched.changes.ledger.snapshots.covers(watched.at('a.txt')));
  expect(watched.changes.ledger.checkpoints).toEqual([]);
});

it('writes of the agent are reviewed also if the snapshot fails', async () => {
  const folder = aFolder();
  put(folder, 'a.txt', 'one\n');
  const watched = new Watched({ folder });
  watched.changes.ledger.snapshots.take = () => Promise.reject(new Error('no space left'));
  await watched.begin();
  await watched.write('a.txt', 'ONE\n');
  expect(await watched.list()).toEqual(['a.txt +1 -1']);
  expect(watched.log.lines.join('\n')).toContain('no space left');
  await watched.end();
  expect(await watched.list()).toEqual(['a.txt +1 -1']);
  put(folder, 'a.txt', 'ONE\nmine\n');
  expect(await watched.list()).toEqual(['a.txt +1 -1']);
});

it('the files that were rejected before a failure can be undone', async () => {
  const folder = aFolder();
  put(folder, 'a.txt', 'one\n');
  put(folder, 'b', Buffer.alloc(6 * 1024 * 1024));
  const watched = new Watched({ folder });
  await watched.turn(() => {
    put(folder, 'a.txt', 'ONE\n');
    put(folder, 'b', 'small\n');
  });
  await expect(watched.rejectAll()).rejects.toThrow(/too large/);
  expect(fs.readFileSync(watched.at('a.txt'), 'utf8')).toBe('one\n');
  await watched.changes.decisions.undo();
  expect(fs.readFileSync(watched.at('a.txt'), 'utf8')).toBe('ONE\n');
});

it('a file is compared once for many calls that are reported at once, also if one has no usable path', async () => {
  const folder = aFolder();
  put(folder, 'a.txt', 'one\n');
  const watched = new Watched({ folder });
  await watched.begin();
  put(folder, 'a.txt', 'ONE\n');
  let asked = 0;
  watched.answer = () => {
    asked += 1;
  };
  for (let index = 0; index < 50; index += 1) {
    const locations = [{ path: watched.at(index === 25 ? 'x'.repeat(5_000) : 'a.txt'), line: undefined }];
    watched.tool({ toolCallId: `call-${index}`, toolKind: 'edit', status: 'running', locations });
    watched.tool({ toolCallId: `call-${index}`, status: 'done' });
  }
  await watched.settled();
  expect(asked).toBeLessThan(10);
  expect(watched.log.lines).toEqual([expect.stringContaining('ENAMETOOLONG')]);
  expect(await watched.list()).toEqual(['a.txt +1 -1']);
  await watched.end();
});
