import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { nvimFor } from '../../scripts/nvim.mjs';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';
import { median } from './stats.ts';
import { type Figure, ms } from './table.ts';

const rounds = 40;

/** The additional start-up time of Neovim with the plugin installed. */
export function measureStartup(): readonly Figure[] {
  const sandbox = new Sandbox();
  try {
    const without: number[] = [];
    const withPlugin: number[] = [];
    for (let round = 0; round < rounds; round++) {
      without.push(startOnce(sandbox, []));
      withPlugin.push(startOnce(sandbox, ['--cmd', `set rtp^=${repoRoot}`]));
    }
    const over = median(withPlugin) - median(without);
    const found = { plugin: `${ms(over)} over ${ms(median(without))}` };
    return [{ name: 'Neovim start-up', aim: '<= 1 ms over without', found, isMet: over <= 1 }];
  } finally {
    sandbox.dispose();
  }
}

// --startuptime excludes the time to load the program, which varies more than the plugin adds.
function startOnce(sandbox: Sandbox, args: readonly string[]): number {
  const file = path.join(sandbox.root, 'startuptime');
  fs.rmSync(file, { force: true });
  const all = ['--startuptime', file, '--headless', '--clean', ...args, '+qa'];
  execFileSync(nvimFor('0.12'), all, { env: sandbox.env, stdio: 'ignore' });
  const started = /^([\d.]+).*NVIM STARTED/m.exec(fs.readFileSync(file, 'utf8'));
  if (!started) throw new Error(`No start-up time in ${file}`);
  return Number(started[1]);
}
