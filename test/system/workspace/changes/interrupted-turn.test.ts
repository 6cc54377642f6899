import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import {
  isOlder,
  noteInterruptedTurn,
  takeInterruptedTurn,
} from '../../../../src/workspace/changes/interrupted-turn.ts';
import { aFolder } from '../../../support/system/temp.ts';

it('the record of an interrupted turn is taken once, and gone when it is taken', async () => {
  const folder = path.join(aFolder(), 'changes');
  noteInterruptedTurn(folder, 1_234);
  noteInterruptedTurn(folder, 5_678);
  expect(await takeInterruptedTurn(folder)).toBe(5_678);
  expect(fs.readdirSync(folder)).toEqual([]);
  expect(await takeInterruptedTurn(folder)).toBeUndefined();
});

it('a record of an interrupted turn that can not be removed is a failure', async () => {
  const folder = aFolder();
  fs.mkdirSync(path.join(folder, 'left'));
  await expect(takeInterruptedTurn(folder)).rejects.toThrow();
});

it('isOlder says whether a file was written last at a time or before, also of one that is gone', async () => {
  const file = path.join(aFolder(), 'a.txt');
  expect(await isOlder(file, 0)).toBe(true);
  fs.writeFileSync(file, '');
  fs.utimesSync(file, 1_000, 1_000);
  expect(await Promise.all([999_999, 1_000_000].map((at) => isOlder(file, at)))).toEqual([false, true]);
});
