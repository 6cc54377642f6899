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

/** A folder with the state of a session in which a file was changed and decided. */
async function aSavedState(): Promise<string> {
  const folder = path.join(aFolder(), 'changes');
  const file = { path: 'a.txt', review: aReview('a'), disk: aText('a') };
  const decision = {
    path: 'a.txt',
    row: 0,
    before: aReview('b'),
    after: aReview('c'),
    decision: 'kept',
  } as const;
  const state = {
    files: [file],
    checkpoints: [aCheckpoint],
    last: undefined,
    touches: {},
    decided: [{ files: [decision], rejections: [] }],
  };
  await saveState(folder, state, new BlobStore(path.join(folder, 'blobs')));
  return folder;
}

const load = (folder: string) => loadState(folder, new BlobStore(path.join(folder, 'blobs')));

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

  // Vitest reports every rejection that nobody handles.
  it('is not there, without an error, if all contents are missing', async () => {
    const folder = await aSavedState();
    fs.rmSync(path.join(folder, 'blobs'), { recursive: true });
    expect(await load(folder)).toBeUndefined();
    await new Promise(setImmediate);
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
