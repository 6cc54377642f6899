import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findMarkedProcesses } from '../../../src/system/marked-processes.ts';

const program = 'exec sh -c "$PROGRAM"';

it.runIf(process.platform === 'linux')(
  'a marked process is found also while it is being executed',
  async () => {
    const mark = `ACP_MARK=${randomUUID()}`;
    const env = { PATH: process.env.PATH, PROGRAM: program, ACP_MARK: mark.split('=')[1] };
    const child = spawn('sh', ['-c', program], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    for (let tries = 1; tries <= 30; tries += 1) {
      expect(await findMarkedProcesses(mark), `try ${tries}`).toEqual([child.pid]);
    }
  },
);

it.runIf(process.platform === 'linux')('no more than 16 environments are read at a time', async () => {
  const mark = `ACP_MARK=${randomUUID()}`;
  const env = { PATH: process.env.PATH, ACP_MARK: mark.split('=')[1] };
  const children = Array.from({ length: 40 }, () => spawn('sleep', ['1000'], { env }));
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const { readFile } = fs.promises;
  let [reading, most] = [0, 0];
  const reader = vi.spyOn(fs.promises, 'readFile').mockImplementation(async (...args) => {
    reading += 1;
    most = Math.max(most, reading);
    try {
      return await readFile(...args);
    } finally {
      reading -= 1;
    }
  });
  onTestFinished(() => reader.mockRestore());
  const found = await findMarkedProcesses(mark);
  expect([...found].sort()).toEqual(children.map(({ pid }) => pid).sort());
  expect(most).toBeLessThanOrEqual(16);
});
