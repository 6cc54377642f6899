import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { onTestFinished } from 'vitest';
import { waitFor } from './wait.ts';

/** Puts two things in the place of each other, again and again, from another process, until the test ends. */
export async function keepSwapping(place: string, other: string): Promise<void> {
  const code = `const fs = require('node:fs');
    const [place, other] = process.argv.slice(1);
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const put = (from, to) => {
      // Somebody may have made something in the moment in which nothing was there.
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
