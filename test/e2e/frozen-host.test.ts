import { describe, expect } from 'vitest';
import { promptText, quickTour, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

/** Opens a chat and stops its host, as a debugger or a busy machine would. */
async function freeze(nvim: TestNvim) {
  await nvim.command('AcpChat tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  const hasCommands = "return #(require('acp.chats').current().commands or {}) > 0";
  await nvim.waitFor(() => nvim.lua<boolean>(hasCommands), 'the commands of the agent');
  const pid = await nvim.lua<number>("return require('acp.host').request('host.status', {}).pid");
  process.kill(pid, 'SIGSTOP');
  return { pid, thaw: () => process.kill(pid, 'SIGCONT') };
}

async function waitForReport(nvim: TestNvim): Promise<string> {
  return nvim.waitFor(async () => {
    const text = (await nvim.lines()).join('\n');
    return text.includes('journals:') && text;
  }, 'the report');
}

describe('a host that is stopped', () => {
  it('does not block typing and command completion', async ({ start }) => {
    const nvim = await start({ init: quickTour });
    const { thaw } = await freeze(nvim);
    await nvim.input('i/plan is typed');
    await nvim.waitFor(async () => (await promptText(nvim)) === '/plan is typed', 'the text');
    await nvim.input('<Esc>cc/pla<C-x><C-o>');
    const offered = () =>
      nvim.lua<string[]>(
        "return vim.tbl_map(function(item) return item.word end, vim.fn.complete_info({ 'items' }).items)",
      );
    await nvim.waitFor(async () => (await offered()).join() === '/plan', 'the command in the menu');
    expect(await nvim.lua('return vim.api.nvim_get_mode()')).toMatchObject({ blocking: false });
    thaw();
  });

  it('is reported by :checkhealth and by :AcpTraffic', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpTraffic');
    await nvim.waitForScreen('initialize');
    const { thaw } = await freeze(nvim);
    await nvim.command('AcpTraffic');
    await nvim.input('gg<CR>');
    await nvim.waitForScreen('acp: the host does not answer');
    await nvim.command('checkhealth acp');
    expect(await waitForReport(nvim)).toContain('host = "own": the host does not answer');
    thaw();
  });

  it.for<[string, string, string]>([
    ['a prompt that is sent', 'ikeep me<C-s>', 'keep me'],
    [':AcpCancel', '<Esc>:AcpCancel<CR>', ''],
  ])('is reported after %s, and :AcpRestart! brings a new one', async ([, keys, text], { start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    await freeze(nvim);
    await nvim.input(keys);
    await nvim.waitFor(
      async () =>
        (await nvim.messages()).includes('the host does not answer; :AcpRestart! starts another one'),
      'the warning',
    );
    expect((await promptText(nvim)).trim()).toBe(text);
    await nvim.input('<Esc>');
    await nvim.command('AcpRestart!');
    await nvim.waitFor(() => nvim.askHost('host.status'), 'the new host');
    expect((await promptText(nvim)).trim()).toBe(text);
    // Neovim kills the old host two seconds after it was told to end, also while it quits.
    expect(await nvim.quit('qa!')).toMatchObject({ code: 0 });
  });

  it('is not reported after two seconds if the prompt is long', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    const { thaw } = await freeze(nvim);
    await nvim.lua(`
      require('acp.chat.actions').send(require('acp.chats').current(), ('x'):rep(8000000))
      require('acp.host.requests').ask('host.status', {}, function(_, problem) _G.problem = problem end)`);
    const problem = () => nvim.lua<string | null>('return _G.problem');
    expect(await nvim.waitFor(problem, 'the end of the request')).toBe('the host does not answer');
    expect(await nvim.messages()).not.toContain('does not answer');
    thaw();
  });

  it.for<[string, NodeJS.Signals | undefined]>([
    ['is replaced by :AcpRestart!', undefined],
    ['is killed', 'SIGKILL'],
  ])('fails the requests that wait when it %s', async ([, signal], { start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    const { pid } = await freeze(nvim);
    await nvim.lua(
      "require('acp.host.requests').ask('host.status', {}, function(_, problem) _G.problem = problem end)",
    );
    if (signal) process.kill(pid, signal);
    else await nvim.command('AcpRestart!');
    const problem = () => nvim.lua<string | null>('return _G.problem');
    expect(await nvim.waitFor(problem, 'the end of the request')).toBe('the host is not running');
    expect(await nvim.quit('qa!')).toMatchObject({ code: 0 });
  });

  it('is ended when Neovim exits', async ({ start }) => {
    const nvim = await start({ init: quickTour });
    await freeze(nvim);
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
  });
});

describe('a host that runs', () => {
  it('is not reported while it opens the chat again', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    await nvim.command('AcpChat tour');
    await waitForPhase(nvim, 'idle');
    const requests = (restart: string) =>
      nvim.lua<string[]>(`
        local sent = {}
        require('acp.host').on('send', function(op) table.insert(sent, op) end)
        ${restart}
        require('acp.chat.actions').cancel(require('acp.chats').current())
        return vim.tbl_filter(function(op) return op == 'host.ask' end, sent)`);
    expect(await requests('')).toEqual(['host.ask']);
    expect(await requests("vim.cmd('AcpRestart!')")).toEqual([]);
    await waitForPhase(nvim, 'idle');
    expect(await requests('')).toEqual(['host.ask']);
  });
});
