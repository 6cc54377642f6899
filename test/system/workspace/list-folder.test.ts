import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { listFolder } from '../../../src/workspace/list-folder.ts';
import { aFolder } from '../../support/system/temp.ts';

it('lists the names in a folder, with a slash behind folders and links to folders', async () => {
  const folder = aFolder();
  for (const name of ['b', '.hidden']) fs.mkdirSync(path.join(folder, name));
  for (const name of ['c.txt', 'A.txt', '.env']) fs.writeFileSync(path.join(folder, name), '');
  fs.symlinkSync('b', path.join(folder, 'link'));
  fs.symlinkSync('nowhere', path.join(folder, 'broken'));
  expect(await listFolder(folder)).toEqual(['.env', '.hidden/', 'A.txt', 'b/', 'broken', 'c.txt', 'link/']);
});

it('lists nothing if there is no such folder or it is a file', async () => {
  const folder = aFolder();
  fs.writeFileSync(path.join(folder, 'file'), '');
  expect(await listFolder(path.join(folder, 'nowhere'))).toEqual([]);
  expect(await listFolder(path.join(folder, 'file'))).toEqual([]);
});
