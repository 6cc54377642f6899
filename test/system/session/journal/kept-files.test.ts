import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { deleteKept, keptOfJournal } from '../../../../src/session/journal/kept-files.ts';
import { aFolder } from '../../../support/system/temp.ts';

it('forgetting a session deletes links in its places, never what they lead to', async () => {
  const [state, outside] = [aFolder(), aFolder()];
  fs.writeFileSync(path.join(outside, 'mine.txt'), 'mine');
  const journal = path.join(state, '20260101-1-1.jsonl');
  fs.symlinkSync(path.join(outside, 'mine.txt'), journal);
  fs.mkdirSync(path.join(state, '20260101-1-1.changes'));
  fs.symlinkSync(outside, path.join(state, '20260101-1-1.changes', 'deep'));
  fs.symlinkSync(outside, path.join(state, '20260101-1-1.attachments'));
  const kept = await keptOfJournal(journal);
  expect(kept.map(({ kind }) => kind)).toEqual(['conversation', 'checkpoints', 'attachments']);
  expect(kept.every(({ bytes }) => bytes < 1_000)).toBe(true);
  await deleteKept(kept);
  expect(fs.readdirSync(state)).toEqual([]);
  expect(fs.readFileSync(path.join(outside, 'mine.txt'), 'utf8')).toBe('mine');
});
