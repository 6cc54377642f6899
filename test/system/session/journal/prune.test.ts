import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { pruneJournals, prunePictures } from '../../../../src/session/journal/prune.ts';
import { aFolder } from '../../../support/system/temp.ts';

const day = 24 * 3_600_000;
const keep = { days: 30, count: 100 };
const now = Date.now();

/** A folder with the transcript of a chat that was just opened, and 100 that are a day old. */
function anArchive() {
  const folder = aFolder();
  const add = (name: string, age: number) => {
    const file = path.join(folder, name);
    if (name.endsWith('.changes')) fs.mkdirSync(file);
    else fs.writeFileSync(file, '');
    const time = new Date(now - age);
    fs.utimesSync(file, time, time);
  };
  for (let index = 0; index < 100; index += 1) add(`new${index}.jsonl`, day);
  add('current.jsonl', 0);
  const prune = (at: number) => pruneJournals(path.join(folder, 'current.jsonl'), at, keep);
  const old = () =>
    fs
      .readdirSync(folder)
      .filter((name) => name.startsWith('old'))
      .sort();
  return { folder, add, prune, old };
}

it('pruneJournals deletes journals that are a month old on two days', async () => {
  const { folder, add, prune, old } = anArchive();
  const names = ['old.jsonl', 'old.changes', 'old.txt', 'old-alone.changes', 'old-part.jsonl.new'];
  for (const name of names) add(name, 40 * day);
  await prune(now);
  expect(old()).toHaveLength(5);
  await prune(now + 3_600_000);
  expect(old()).toHaveLength(5);
  await prune(now + 1.1 * day);
  expect(old()).toEqual(['old.txt']);
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('new'))).toHaveLength(100);
});

it('pruneJournals keeps the changes folder of a journal in use', async () => {
  const { add, prune, old } = anArchive();
  add('old.changes', 40 * day);
  add('old.jsonl', 1.5 * day);
  await prune(now);
  await prune(now + 2 * day);
  expect(old()).toEqual(['old.changes', 'old.jsonl']);
});

it('pruneJournals deletes nothing if the clock is a month ahead', async () => {
  const { add, prune, old } = anArchive();
  add('old.jsonl', 3 * day);
  for (const later of [31, 31.1, 33, 60]) await prune(now + later * day);
  expect(old()).toEqual(['old.jsonl']);
});

it('pruneJournals deletes nothing immediately if a journal is from the future', async () => {
  const { add, prune, old } = anArchive();
  add('old.jsonl', 3 * day);
  add('future.jsonl', -40 * day);
  await prune(now + 40 * day);
  expect(old()).toEqual(['old.jsonl']);
  await prune(now);
  await prune(now + 2 * day);
  expect(old()).toEqual(['old.jsonl']);
});

it('pruneJournals keeps the newest 100 of any age', async () => {
  const folder = aFolder();
  const old = new Date(now - 400 * day);
  for (let index = 0; index < 5; index += 1) {
    const file = path.join(folder, `old${index}.jsonl`);
    fs.writeFileSync(file, '');
    fs.utimesSync(file, old, old);
  }
  fs.writeFileSync(path.join(folder, 'new.jsonl'), '');
  for (const at of [now, now + 2 * day]) await pruneJournals(path.join(folder, 'current.jsonl'), at, keep);
  expect(fs.readdirSync(folder)).toHaveLength(6);
});

it('pruneJournals keeps the journals of a running Neovim', async () => {
  const { add, prune, old } = anArchive();
  add(`old-${process.pid}-1.jsonl`, 40 * day);
  await prune(now);
  await prune(now + 2 * day);
  expect(old()).toHaveLength(1);
});

it('pruneJournals does nothing without a folder', async () => {
  await expect(pruneJournals(path.join(aFolder(), 'none', '1.jsonl'), now, keep)).resolves.toBeUndefined();
});

it('pictures that were pasted are deleted by the same rule, other files of their folder stay', async () => {
  const folder = aFolder();
  const add = (name: string, age: number) => {
    fs.writeFileSync(path.join(folder, name), '');
    const time = new Date(now - age);
    fs.utimesSync(path.join(folder, name), time, time);
  };
  for (let index = 1; index <= 100; index += 1) add(`2026-11-01-120000-${index}.png`, day);
  for (const name of ['2026-01-01-120000.png', '2026-01-01-120000-2.jpg', 'holiday.png']) add(name, 90 * day);
  const left = () =>
    fs.readdirSync(folder).filter((name) => !name.startsWith('2026-11') && name !== 'prune.json');
  await prunePictures(folder, now, keep);
  expect(left()).toHaveLength(3);
  await prunePictures(folder, now + 2 * day, keep);
  expect(left()).toEqual(['holiday.png']);
});

it.each([
  [{ days: 7, count: 0 }, 0],
  [{ days: 7, count: 1 }, 1],
  [{ days: 60, count: 0 }, 2],
  [{ days: 0, count: 0 }, 2],
])('pruneJournals keeps what %j says', async (limits, left) => {
  const folder = aFolder();
  const old = new Date(now - 20 * day);
  for (const name of ['a.jsonl', 'b.jsonl']) {
    fs.writeFileSync(path.join(folder, name), '');
    fs.utimesSync(path.join(folder, name), old, old);
  }
  // The age is relative to the newest journal.
  fs.writeFileSync(path.join(folder, 'newest-1-1.jsonl'), '');
  const current = path.join(folder, 'current.jsonl');
  for (const at of [now, now + 2 * day])
    await pruneJournals(current, at, { ...limits, count: limits.count + 1 });
  expect(fs.readdirSync(folder).filter((name) => /^[ab]/.test(name))).toHaveLength(left);
});
