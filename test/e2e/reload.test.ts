import { describe, expect } from 'vitest';
import { converse, promptText, quickTour, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { descendants, expectNoneLeft, isAlive } from '../support/system/processes.ts';

async function openTour(nvim: TestNvim): Promise<void> {
  await nvim.command('AcpChat tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
}

describe('a plugin that is loaded again', () => {
  it.for([
    ['as lazy.nvim does it', 'vim.g.loaded_acp = nil'],
    ['while it counts as loaded', ''],
  ])('ends the host and its agents and keeps the draft: %s', async ([, more], { start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    await openTour(nvim);
    await converse(nvim, 'hello');
    const before = descendants(nvim.pid);
    expect(before.length).toBeGreaterThan(1);
    await nvim.input('ihalf a thought');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'half a thought', 'the draft');
    await nvim.lua(`
      local plugin = vim.fs.joinpath(require('acp.paths').root, 'plugin', 'acp.lua')
      vim.cmd.stopinsert()
      for name in pairs(package.loaded) do
        if vim.startswith(name, 'acp') then package.loaded[name] = nil end
      end
      ${more}
      vim.cmd.source(plugin)`);
    await nvim.waitFor(() => before.every((pid) => !isAlive(pid)), 'the processes to end');
    expect(
      await nvim.lua('return { #vim.api.nvim_list_wins(), vim.wo.winbar, vim.wo.statuscolumn }'),
    ).toEqual([1, '', '']);
    await openTour(nvim);
    await nvim.waitFor(async () => (await promptText(nvim)) === 'half a thought', 'the draft again');
    await nvim.command('normal! ggdG');
    await converse(nvim, 'hello again');
    const hosts = await nvim.lua<number[]>('return vim.api.nvim_get_proc_children(vim.fn.getpid())');
    expect(hosts).toEqual([await nvim.lua("return require('acp.host').request('host.status', {}).pid")]);
    expect(await nvim.messages()).not.toMatch(/E\d+:|traceback/);
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
    await expectNoneLeft(nvim.sandbox.marker);
  });
});
