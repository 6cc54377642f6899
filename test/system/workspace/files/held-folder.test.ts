import fs from 'node:fs';
import promises, { open } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { withFile } from '../../../../src/workspace/files/held-folder.ts';
import { aFolder } from '../../../support/system/temp.ts';

it.skipIf(process.platform !== 'linux')('a file that is replaced while it is opened is read', async () => {
  const folder = aFolder();
  const [file, other] = [path.join(folder, 'a.txt'), path.join(folder, 'other')];
  fs.writeFileSync(file, 'old');
  fs.writeFileSync(other, 'new');
  const opening = vi.spyOn(promises, 'open');
  opening.mockImplementationOnce(async (...how) => {
    const handle = await open(...how);
    fs.renameSync(other, file);
    return handle;
  });
  const text = await withFile(file, (handle) => handle.readFile('utf8')).finally(() => opening.mockRestore());
  expect(text).toBe('new');
});
