import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { pruneJournals } from '../../../src/session/prune.ts';
import { aFolder } from '../../support/temp.ts';

const day = 24 * 3_600_000;
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
  const prune = (at: number) => pruneJournals(path.join(folder, 'current.jsonl'), at);
  const old = () =>
    fs
      .readdirSync(folder)
      .filter((name) => name.startsWith('old'))
      .sort();
  return { folder, add, prune, old };
}

it('removes what nobody wrote to for a month when it is still old the next day, and nothing else', async () => {
  const { folder, add, prune, old } = anArchive();
  for (const name of ['old.jsonl', 'old.changes', 'old.txt', 'old-alone.changes']) add(name, 40 * day);
  await prune(now);
  expect(old()).toHaveLength(4);
  await prune(now + 3_600_000);
  expect(old()).toHaveLength(4);
  await prune(now + 1.1 * day);
  expect(old()).toEqual(['old.txt']);
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('new'))).toHaveLength(100);
});

it('keeps what else is remembered of a conversation that is written to', async () => {
  const { add, prune, old } = anArchive();
  add('old.changes', 40 * day);
  add('old.jsonl', 1.5 * day);
  await prune(now);
  await prune(now + 2 * day);
  expect(old()).toEqual(['old.changes', 'old.jsonl']);
});

it('removes nothing when the clock is a month ahead, also when that lasts', async () => {
  const { add, prune, old } = anArchive();
  add('old.jsonl', 3 * day);
  for (const later of [31, 31.1, 33, 60]) await prune(now + later * day);
  expect(old()).toEqual(['old.jsonl']);
});

it('removes nothing at once when a conversation was written in the future', async () => {
  const { add, prune, old } = anArchive();
  add('old.jsonl', 3 * day);
  add('future.jsonl', -40 * day);
  await prune(now + 40 * day);
  expect(old()).toEqual(['old.jsonl']);
  await prune(now);
  await prune(now + 2 * day);
  expect(old()).toEqual(['old.jsonl']);
});

it('keeps the newest, however old they are', async () => {
  const folder = aFolder();
  const old = new Date(now - 400 * day);
  for (let index = 0; index < 5; index += 1) {
    const file = path.join(folder, `old${index}.jsonl`);
    fs.writeFileSync(file, '');
    fs.utimesSync(file, old, old);
  }
  fs.writeFileSync(path.join(folder, 'new.jsonl'), '');
  for (const at of [now, now + 2 * day]) await pruneJournals(path.join(folder, 'current.jsonl'), at);
  expect(fs.readdirSync(folder)).toHaveLength(6);
});

it('keeps what is open in a Neovim that runs', async () => {
  const { add, prune, old } = anArchive();
  add(`old-${process.pid}-1.jsonl`, 40 * day);
  await prune(now);
  await prune(now + 2 * day);
  expect(old()).toHaveLength(1);
});

it('does nothing where there is no folder', async () => {
  await expect(pruneJournals(path.join(aFolder(), 'none', '1.jsonl'), now)).resolves.toBeUndefined();
});
