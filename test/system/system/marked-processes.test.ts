import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
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
