import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { onTestFinished } from 'vitest';
import { waitFor } from '../wait.ts';

/** Swaps two paths repeatedly from another process until the test ends. */
export async function keepSwappingPaths(place: string, other: string): Promise<void> {
  const code = `const fs = require('node:fs');
    const [place, other] = process.argv.slice(1);
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const put = (from, to) => {
      // The code under test may have created something while the path was free.
      fs.rmSync(to, { recursive: true, force: true });
      fs.renameSync(from, to);
    };
    for (;;) {
      fs.renameSync(place, place + '.aside');
      put(other, place);
      put(place + '.aside', other);
      Atomics.wait(cell, 0, 0, Math.random());
    }`;
  const inode = () => fs.lstatSync(place, { throwIfNoEntry: false })?.ino;
  const first = inode();
  const child = spawn(process.execPath, ['-e', code, place, other], { stdio: 'ignore' });
  const over = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await over;
  });
  await waitFor(() => inode() !== undefined && inode() !== first);
}
