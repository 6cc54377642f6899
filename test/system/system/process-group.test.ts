import { expect, it } from 'vitest';
import { runInSeparateProcess } from '../../support/system/separate-process.ts';
import { aFolder } from '../../support/system/temp.ts';

it('a process fails to start with one error if no file descriptor is left', async () => {
  const code = `
    import fs from 'node:fs';
    try {
      for (;;) fs.openSync('/dev/null');
    } catch {}
    try {
      ours.spawnGroup({ command: 'true', args: [], cwd: '/', env: {} });
    } catch (error) {
      process.stdout.write(error.message);
    }`;
  const module = 'src/system/process-group.ts';
  const output = await runInSeparateProcess({ folder: aFolder(), module, code, limits: 'ulimit -n 64' });
  expect(output).toBe('too many open files (EMFILE)');
});
