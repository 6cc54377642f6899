import fs from 'node:fs';
import promises, { readlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { withFile } from '../../../../src/workspace/files/held-folder.ts';
import { aFolder } from '../../../support/system/temp.ts';

it.skipIf(process.platform !== 'linux')('a file that is replaced while it is opened is read', async () => {
  const folder = aFolder();
  const [file, other] = [path.join(folder, 'a.txt'), path.join(folder, 'other')];
  fs.writeFileSync(file, 'old');
  fs.writeFileSync(other, 'new');
  const asked = vi.spyOn(promises, 'readlink');
  asked.mockImplementationOnce((link) => {
    fs.renameSync(other, file);
    return readlink(link) as never;
  });
  const text = await withFile(file, (handle) => handle.readFile('utf8')).finally(() => asked.mockRestore());
  expect(text).toBe('new');
});
