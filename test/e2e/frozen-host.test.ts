import { describe, expect } from 'vitest';
import { promptText, quickTour, waitForPhase } from '../support/chat.ts';
import { it } from '../support/it.ts';
import type { TestNvim } from '../support/nvim.ts';

/** Opens a chat and stops its host, as a debugger or a busy machine would. */
async function freeze(nvim: TestNvim): Promise<() => void> {
  await nvim.command('AcpChat tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  const pid = await nvim.lua<number>("return require('acp.host').request('host.status', {}).pid");
  process.kill(pid, 'SIGSTOP');
  return () => process.kill(pid, 'SIGCONT');
}

async function waitForReport(nvim: TestNvim): Promise<string> {
  return nvim.waitFor(async () => {
    const text = (await nvim.lines()).join('\n');
    return text.includes('transcripts:') && text;
  }, 'the report');
}

describe('a host that is stopped', () => {
  it('does not keep the user from typing and completing commands', async ({ start }) => {
    const nvim = await start({ init: quickTour });
    const thaw = await freeze(nvim);
    await nvim.input('i/plan is typed');
    await nvim.waitFor(async () => (await promptText(nvim)) === '/plan is typed', 'the text');
    await nvim.input('<Esc>cc/pla<C-x><C-o>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '/plan', 'the completed command');
    expect(await nvim.lua('return vim.api.nvim_get_mode()')).toMatchObject({ blocking: false });
    thaw();
  });

  it('is named by :checkhealth, and by a message in the traffic', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpTraffic');
    await nvim.waitForScreen('initialize');
    const thaw = await freeze(nvim);
    await nvim.command('AcpTraffic');
    await nvim.input('gg<CR>');
    await nvim.waitForScreen('acp: the host does not answer');
    await nvim.command('checkhealth acp');
    expect(await waitForReport(nvim)).toContain('host = "own": the host does not answer');
    thaw();
  });

  it('is ended with Neovim', async ({ start }) => {
    const nvim = await start({ init: quickTour });
    await freeze(nvim);
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
  });
});
