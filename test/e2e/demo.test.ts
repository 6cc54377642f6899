import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nvimFor } from '../../scripts/nvim.mjs';
import { repoRoot } from '../support/nvim/nvim-process.ts';

describe('scripts/demo without a terminal', () => {
  it('prints a whole conversation with the tour and touches nothing of the user', {
    timeout: 60_000,
  }, async () => {
    const home = fs.mkdtempSync('/tmp/acp-home-');
    const nvim = nvimFor(process.env.ACP_TEST_NVIM ?? '0.12');
    const { stdout } = await promisify(execFile)(path.join(repoRoot, 'scripts', 'demo'), {
      env: { PATH: process.env.PATH, HOME: home, ACP_NVIM: nvim, ACP_TOUR_PACE: '0' },
    });
    expect(stdout).toMatch(/^Tour\nWelcome/m);
    expect(stdout).toMatch(/^You\ntour$/m);
    expect(stdout).toContain('Plan 4/4');
    expect(stdout).toContain('That was the tour.');
    expect(fs.readdirSync(home)).toEqual([]);
    fs.rmSync(home, { recursive: true });
  });
});
