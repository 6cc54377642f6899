import { describe, expect } from 'vitest';
import { startEditingChat } from '../support/agents/programmable-chat.ts';
import { converse, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { changed, files } from '../support/nvim/review-files.ts';

// Keeps the list instead of showing it; `choose` answers it.
const capture = `
  vim.ui.select = function(items, options, on_choice)
    _G.shown = { kind = options.kind, labels = vim.tbl_map(options.format_item, items) }
    _G.choose = function(command)
      on_choice(vim.iter(items):find(function(item) return item.command == command end))
    end
  end`;

async function labels(nvim: TestNvim, command = 'Acp'): Promise<string[]> {
  await nvim.lua('_G.shown = nil');
  await nvim.command(command);
  await nvim.waitFor(() => nvim.lua<boolean>('return _G.shown ~= nil'), 'the list');
  expect(await nvim.lua('return _G.shown.kind')).toBe('acp.palette');
  return nvim.lua('return _G.shown.labels');
}

const commandsOf = (shown: readonly string[]) => shown.map((label) => label.replace(/^.* {2}:/, ''));

describe(':Acp alone', () => {
  it('offers what needs no chat before there is one', async ({ start }) => {
    const nvim = await start({
      init: `vim.g.acp = { agent = 'tour' }\n${capture}`,
      files: { 'a.txt': 'x\n' },
    });
    await nvim.command('edit a.txt');
    expect(commandsOf(await labels(nvim))).toEqual([
      'AcpAsk',
      'AcpAdd',
      'AcpPrompt commit',
      'AcpPrompt explain',
      'AcpPrompt review',
      'AcpPrompt test',
      'AcpChat',
      'AcpSessions',
      'AcpAgents',
    ]);
  });

  it('names a fix where there are diagnostics, and gives a range to the commands', async ({ start }) => {
    const nvim = await startChat(start, { init: capture, files: { 'a.txt': 'x\ny\n' } });
    await nvim.command('wincmd t | edit a.txt');
    await nvim.lua(`vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0,
      { { lnum = 1, col = 0, message = 'broken', severity = 1 } })`);
    const shown = await labels(nvim, '1,2Acp');
    expect(shown[0]).toMatch(/^Ask about these lines +:1,2AcpAsk$/);
    expect(commandsOf(shown)).toContain('1,2AcpPrompt fix');
    await nvim.lua("_G.choose('1,2AcpPrompt explain')");
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((line) => line.startsWith('Explain @a.txt:1-2')),
      'the prompt',
    );
  });

  it('offers only what the agent has: settings, a plan, terminals, a prompt to send again', async ({
    start,
  }) => {
    const nvim = await startChat(start, { init: capture });
    const depends = ['AcpRetry', 'AcpRestore', 'AcpModel', 'AcpMode', 'AcpPlan', 'AcpTerminals'];
    const offered = async () => commandsOf(await labels(nvim)).filter((command) => depends.includes(command));
    expect(await offered()).toEqual(['AcpMode']);
    await converse(nvim, 'plan');
    expect(await offered()).toEqual(['AcpRetry', 'AcpRestore', 'AcpMode', 'AcpPlan']);
    await nvim.command('AcpRun true');
    await nvim.waitFor(async () => (await offered()).includes('AcpTerminals'), 'the terminal');
  });

  it('begins with stopping a turn that runs', async ({ start }) => {
    const nvim = await startChat(start, { init: capture });
    await nvim.command('AcpSend hang');
    await waitForPhase(nvim, 'running');
    const shown = await labels(nvim);
    expect(shown[0]).toMatch(/^Stop the agent +:AcpCancel$/);
    await nvim.lua("_G.choose('AcpCancel')");
    await waitForPhase(nvim, 'idle');
    expect(commandsOf(await labels(nvim))).not.toContain('AcpCancel');
  });

  it('begins with a question that waits', async ({ start }) => {
    const nvim = await startChat(start, { init: capture });
    await nvim.command('AcpSend permission');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting > 0"), 'the question');
    expect(commandsOf(await labels(nvim)).slice(0, 2)).toEqual(['AcpAnswer', 'AcpCancel']);
  });

  it('offers a review of changes', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.nvim.lua(capture);
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])]);
    await chat.nvim.waitFor(
      async () =>
        /^Review 1 file that the agent changed +:AcpReview$/.test((await labels(chat.nvim))[0] ?? ''),
      'the review',
    );
  });

  it('shows every entry with its command in the list of Neovim', async ({ start }) => {
    const nvim = await startChat(start, { lines: 40 });
    await nvim.input(':Acp<CR>');
    await nvim.waitForScreen(/Start a new session +:AcpNew/);
    await nvim.input('<Esc>');
  });
});
