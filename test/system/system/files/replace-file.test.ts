import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { replaceFile } from '../../../../src/system/files/replace-file.ts';
import { aFolder } from '../../../support/system/temp.ts';

it('replaceFile leaves one whole text when several writes overlap, and no temporary file', async () => {
  const file = path.join(aFolder(), 'deep', 'file.json');
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
  await Promise.all(texts.map((text) => replaceFile(file, text)));
  expect(texts).toContain(fs.readFileSync(file, 'utf8'));
  expect(fs.readdirSync(path.dirname(file))).toEqual(['file.json']);
});

it('replaceFile creates files that only the user can read', async () => {
  const file = path.join(aFolder(), 'deep', 'file.json');
  await replaceFile(file, 'text');
  expect(fs.statSync(file).mode & 0o077).toBe(0);
  expect(fs.statSync(path.dirname(file)).mode & 0o077).toBe(0);
});

it('replaceFile leaves no temporary file when it fails', async () => {
  const folder = aFolder();
  fs.mkdirSync(path.join(folder, 'taken', 'full'), { recursive: true });
  await expect(replaceFile(path.join(folder, 'taken'), 'text')).rejects.toThrow();
  expect(fs.readdirSync(folder)).toEqual(['taken']);
});

it('replaceFile follows no link that stands where an earlier temporary file stood', async () => {
  const folder = aFolder();
  const file = path.join(folder, 'file');
  const outside = path.join(aFolder(), 'outside');
  fs.writeFileSync(outside, 'mine');
  for (let count = 0; count < 50; count += 1) fs.symlinkSync(outside, `${file}.${process.pid}.${count}`);
  await replaceFile(file, 'text');
  expect(fs.readFileSync(outside, 'utf8')).toBe('mine');
  expect(fs.lstatSync(file).isSymbolicLink()).toBe(false);
});
