import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { BlobStore } from '../../../../src/workspace/snapshots/blob-store.ts';
import { aFolder } from '../../../support/system/temp.ts';

it('BlobStore stores equal contents once', async () => {
  const folder = path.join(aFolder(), 'blobs');
  const blobs = new BlobStore(folder);
  const [one, other] = await Promise.all([blobs.put(Buffer.from('a')), blobs.put(Buffer.from('a'))]);
  expect(one).toBe(other);
  expect((await blobs.get(one)).toString()).toBe('a');
  expect(fs.readdirSync(path.join(folder, one.slice(0, 2)))).toEqual([one.slice(2)]);
});

it('BlobStore writes a content again whose first write failed', async () => {
  const folder = path.join(aFolder(), 'blobs');
  fs.writeFileSync(folder, 'in the way');
  const blobs = new BlobStore(folder);
  await expect(blobs.put(Buffer.from('a'))).rejects.toThrow();
  fs.rmSync(folder);
  const id = await blobs.put(Buffer.from('a'));
  expect((await blobs.get(id)).toString()).toBe('a');
});
