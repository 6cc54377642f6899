import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { converse, quickTour, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { answerImmediately, readWholePrompts } from '../support/nvim/user.ts';

/** Takes the first item of every picker that begins so. */
const choose = `${answerImmediately}${readWholePrompts}
_G.prompts = {}
vim.ui.select = function(items, options, on_choice)
  table.insert(_G.prompts, options.prompt)
  for _, item in ipairs(items) do
    local label = options.format_item(item)
    if vim.startswith(label, 'acme') or label == 'Run it' then
      return on_choice(item)
    end
  end
end`;

function aRegistry(version: string): string {
  const npx = { package: `acme@${version}`, args: ['--acp'], env: { ACP_TOUR_PACE: '0' } };
  const agent = { id: 'acme', name: 'Acme', version, description: 'An agent.', distribution: { npx } };
  return JSON.stringify({ version: '1.0.0', agents: [agent] });
}

describe('an agent of a registry', () => {
  it('is run with npx after consent, and goes with Neovim', async ({ start }) => {
    const tour = path.join(repoRoot, 'dist', 'tour.js');
    const nvim = await start({
      columns: 120,
      files: {
        'registry.json': aRegistry('2.0.0'),
        'bin/npx': `#!/bin/sh\necho "$@" > ran\nexec node '${tour}'\n`,
      },
      init: `${quickTour}\n${choose}
        vim.env.PATH = vim.fn.getcwd() .. '/bin:' .. vim.env.PATH
        vim.g.acp = vim.tbl_extend('force', vim.g.acp, { registry = 'registry.json' })`,
    });
    fs.chmodSync(nvim.sandbox.path('bin/npx'), 0o755);
    await nvim.command('AcpAgents');
    await waitForPhase(nvim, 'idle');
    expect(nvim.sandbox.read('ran')).toBe('-y acme@2.0.0 --acp\n');
    await converse(nvim, 'hello');
    expect(await transcript(nvim)).toContain('Tour');
    const question = (version: string) =>
      `Acme ${version} from ${nvim.sandbox.path('registry.json')} will run ACP_TOUR_PACE=0 npx -y acme@${version} --acp`;
    expect(await nvim.lua('return _G.prompts')).toEqual(['Agents', question('2.0.0')]);

    // What runs stays what was agreed to; what is begun anew is asked about.
    nvim.sandbox.write({ 'registry.json': aRegistry('3.0.0') });
    await nvim.input('<Esc>');
    await nvim.command('AcpAgents');
    await nvim.waitFor(() => nvim.lua('return #_G.prompts == 3'), 'the agents again');
    fs.rmSync(nvim.sandbox.path('ran'));
    await nvim.command('AcpRestart!');
    await waitForPhase(nvim, 'idle');
    expect(nvim.sandbox.read('ran')).toBe('-y acme@2.0.0 --acp\n');
    await nvim.input('<Esc>');
    await nvim.command('AcpNew acme');
    await nvim.waitFor(() => nvim.sandbox.read('ran').includes('acme@3.0.0'), 'the new version');
    expect(await nvim.lua('return _G.prompts')).toEqual([
      'Agents',
      question('2.0.0'),
      'Agents',
      question('3.0.0'),
    ]);
  });
});
