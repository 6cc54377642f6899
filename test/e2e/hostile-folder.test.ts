import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { hostStatus, quickTour, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';
import { hasGit, makeRepository } from '../support/system/git.ts';
import { isMet } from '../support/system/requirements.ts';

const isPossible = hasGit && isMet(process.platform === 'linux', 'only Linux tells the folder of a process');

describe.runIf(isPossible)('a folder with programs of its own', () => {
  it('starts none of them, and is not the folder of the host', async ({ start }) => {
    const sandbox = new Sandbox();
    const program = (name: string) => `#!/bin/sh\ntouch '${sandbox.path('ran')}-${name}'\nexit 1\n`;
    for (const name of ['node', 'git', 'sh']) {
      sandbox.write({ [`bin/${name}`]: program(name) });
      fs.chmodSync(sandbox.path('bin', name), 0o755);
    }
    makeRepository(sandbox.cwd);
    const nvim = await start({ sandbox, init: `${quickTour}\nvim.env.PATH = 'bin:./bin:' .. vim.env.PATH` });
    await nvim.command('AcpChat tour');
    await waitForPhase(nvim, 'idle');
    const { pid } = (await hostStatus(nvim))!;
    expect(fs.readlinkSync(`/proc/${pid}/cwd`)).toBe(repoRoot);
    expect(fs.readdirSync(sandbox.cwd).filter((name) => name.startsWith('ran'))).toEqual([]);
  });
});
