import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyState, loadState, saveState } from '../../../../src/workspace/changes/persistence.ts';
import type { Checkpoint } from '../../../../src/workspace/changes/types.ts';
import { BlobStore } from '../../../../src/workspace/snapshots/blob-store.ts';
import { aFolder } from '../../../support/system/temp.ts';

const aText = (text: string) => ({ kind: 'text', lines: [text] }) as const;
const aReview = (text: string) => ({ session: aText(text), turn: aText(text), now: aText(text) });

const aCheckpoint: Checkpoint = {
  id: 1,
  at: 0,
  prompt: 'hello',
  kind: 'prompt',
  trees: {},
  known: new Map([['b.txt', aText('d')]]),
  unsaved: new Map(),
  reviews: new Map(),
};

function blobOf(folder: string, text: string): string {
  const id = createHash('sha1').update(text).digest('hex');
  return path.join(folder, 'blobs', id.slice(0, 2), id.slice(2));
}

/** A folder with the state of a session in which a file was changed and decided. */
async function aSavedState(decided: readonly string[] = ['b']): Promise<string> {
  const folder = path.join(aFolder(), 'changes');
  const file = { path: 'a.txt', review: aReview('a'), disk: aText('a') };
  const decision = (before: string) =>
    ({ path: 'a.txt', row: 0, before: aReview(before), after: aReview('c'), decision: 'kept' }) as const;
  const state = {
    files: [file],
    checkpoints: [aCheckpoint],
    last: undefined,
    touches: {},
    decided: decided.map((before) => ({ files: [decision(before)], rejections: [] })),
  };
  await saveState(folder, state, new BlobStore(path.join(folder, 'blobs')));
  return folder;
}

function replaceByFolder(file: string): void {
  fs.rmSync(file);
  fs.mkdirSync(file);
}

const problems: string[] = [];

function load(folder: string, blobs: Pick<BlobStore, 'get'> = new BlobStore(path.join(folder, 'blobs'))) {
  problems.length = 0;
  return loadState(folder, blobs, (problem) => problems.push(problem));
}

describe('the state of changes', () => {
  it('is read as it was saved, also from a copy', async () => {
    const folder = await aSavedState();
    const copy = path.join(aFolder(), 'copy');
    await copyState(folder, copy);
    const state = await load(copy);
    expect(state).toEqual(await load(folder));
    expect(state?.files.map(({ disk }) => disk)).toEqual([aText('a')]);
  });

  it('is copied again after a host that was killed while it copied it, and never over a newer one', async () => {
    const folder = await aSavedState();
    const copy = path.join(aFolder(), 'copy');
    fs.mkdirSync(path.join(copy, 'blobs'), { recursive: true });
    await copyState(folder, copy);
    expect(await load(copy)).toEqual(await load(folder));
    await saveState(
      copy,
      { files: [], checkpoints: [], last: undefined, touches: {}, decided: [] },
      new BlobStore(copy),
    );
    await copyState(folder, copy);
    expect((await load(copy))?.files).toEqual([]);
  });

  it('is there without the parts whose contents are missing, and the whole is put aside', async () => {
    const folder = await aSavedState();
    const saved = fs.readFileSync(path.join(folder, 'state.json'), 'utf8');
    fs.rmSync(blobOf(folder, 'd'));
    const state = await load(folder);
    expect(state?.files.map(({ disk }) => disk)).toEqual([aText('a')]);
    expect(state).toMatchObject({ checkpoints: [], decided: [{ rejections: [] }] });
    expect(problems).toEqual([
      `A part of the changes of this session can't be read: 1 prompt. What was saved is kept as ${folder}/state.json.bad.`,
    ]);
    expect(fs.readFileSync(path.join(folder, 'state.json.bad'), 'utf8')).toBe(saved);
  });

  it('has no decision that would be undone after one that is lost', async () => {
    const folder = await aSavedState(['e', 'b', 'f']);
    fs.rmSync(blobOf(folder, 'b'));
    const state = await load(folder);
    expect(state?.decided.map(({ files }) => files[0]?.before.now)).toEqual([aText('f')]);
    expect(state?.files).toHaveLength(1);
  });

  // Vitest reports every rejection that nobody handles.
  it('is empty, and put aside, if all contents are missing', async () => {
    const folder = await aSavedState();
    fs.rmSync(path.join(folder, 'blobs'), { recursive: true });
    expect(await load(folder)).toMatchObject({ files: [], checkpoints: [], decided: [] });
    expect(problems[0]).toContain("can't be read: 1 file, 1 prompt, 1 decision.");
    await new Promise(setImmediate);
  });

  it.each<[string, (file: string) => void, string]>([
    ['is damaged', (file) => fs.writeFileSync(file, '{"version":2,'), 'JSON'],
    ['is of a newer version', (file) => fs.writeFileSync(file, '{"version":3}'), 'version 3'],
    ['has no lists', (file) => fs.writeFileSync(file, '{"version":2}'), "can't be read"],
    ['is a folder', replaceByFolder, 'not a regular file'],
  ])('is put aside if it %s, never over an earlier one', async (_, damage, reason) => {
    const folder = await aSavedState();
    const file = path.join(folder, 'state.json');
    fs.writeFileSync(`${file}.bad`, 'earlier');
    damage(file);
    expect(await load(folder)).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining(reason)]);
    expect(fs.readFileSync(`${file}.bad`, 'utf8')).toBe('earlier');
    expect([fs.existsSync(file), fs.existsSync(`${file}.bad-2`)]).toEqual([false, true]);
  });

  it('is left alone if too many files are open for a moment', async () => {
    const folder = await aSavedState();
    const busy = { get: () => Promise.reject(Object.assign(new Error('EMFILE'), { code: 'EMFILE' })) };
    await expect(load(folder, busy)).rejects.toThrow('EMFILE');
    expect(problems).toEqual([]);
    expect(fs.readdirSync(folder).sort()).toEqual(['blobs', 'state.json']);
    expect((await load(folder))?.checkpoints).toHaveLength(1);
  });

  it('that was never saved is no problem', async () => {
    expect(await load(aFolder())).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it('is copied whole while another Neovim goes on with the session', async () => {
    const folder = await aSavedState();
    const copy = path.join(aFolder(), 'copy');
    let isCopied = false;
    const copying = copyState(folder, copy).finally(() => {
      isCopied = true;
    });
    for (let round = 0; !isCopied; round += 1) {
      const files = [{ path: 'a.txt', review: aReview(`${round}`), disk: aText(`${round}`) }];
      const state = { files, checkpoints: [], last: undefined, touches: {}, decided: [] };
      await saveState(folder, state, new BlobStore(path.join(folder, 'blobs')));
    }
    await copying;
    expect((await load(copy))?.files).toHaveLength(1);
  });
});
