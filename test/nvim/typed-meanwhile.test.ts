import fs from 'node:fs';
import { expect } from 'vitest';
import { timeOf } from '../../src/workspace/files/disk.ts';
import { it } from '../support/nvim/it.ts';
import { trackFiles } from '../support/workspace/tracked-files.ts';

const text = 'one\ntwo\nthree\n';
const agents = text.replace('two', 'agent');

it.for<[string, string]>([
  ['typed', 'call setline(3, "typed")'],
  ['typed over the change', 'call setline(2, "typed")'],
  ['added at the end', 'call append("$", "typed")'],
])('what is %s after the review has read the buffer is not overwritten', async ([, typed], { start }) => {
  const nvim = await start();
  const files = await trackFiles(nvim);
  fs.writeFileSync(files.at('a.txt'), agents);
  await nvim.command('edit a.txt');
  const record = files.records.get(files.at('a.txt'));
  const from = (await files.buffers.visibleText(record))!;
  await nvim.command(typed);
  const lines = await nvim.lines();
  expect(await files.buffers.write(record, from, { text, isFile: true })).toBe('changed');
  expect(await nvim.lines()).toEqual(lines);
  expect(files.onDisk('a.txt')).toBe(agents);
  await nvim.command('undo');
  expect(await files.buffers.write(record, from, { text, isFile: true })).toBe('saved');
  expect(files.onDisk('a.txt')).toBe(text);
  await files.changes.end();
});

it('a file that is empty because it is being written is read again', async ({ start }) => {
  const nvim = await start();
  const files = await trackFiles(nvim);
  fs.writeFileSync(files.at('a.txt'), text);
  await nvim.command('edit a.txt | call setline(1, "typed")');
  await files.read('a.txt');
  fs.writeFileSync(files.at('a.txt'), '');
  const record = files.records.get(files.at('a.txt'));
  const empty = { text: '', time: await timeOf(record.path) };
  expect(await files.buffers.showDisk(record, empty)).toBe('again');
  expect(await nvim.lines()).toEqual(['typed', 'two', 'three']);
  expect(files.conflicts).toEqual([]);
  const past = new Date(Date.now() - 1_000);
  fs.utimesSync(record.path, past, past);
  await files.files.changedOnDisk(record.path);
  await nvim.waitFor(() => files.conflicts.length === 1, 'the question');
  await files.changes.end();
});
