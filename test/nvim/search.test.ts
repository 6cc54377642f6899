import { describe, expect } from 'vitest';
import { startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { converse, startChat, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const pickers = `
vim.ui.select = function(items, options, on_choice)
  _G.seen = { prompt = options.prompt, labels = vim.tbl_map(options.format_item, items) }
  _G.choose = function(index) on_choice(items[index], index) end
end`;

async function search(nvim: TestNvim, words: string): Promise<{ prompt: string; labels: string[] }> {
  await nvim.lua('_G.seen = nil');
  await nvim.command(`AcpSearch ${words}`);
  return (await nvim.waitFor(() => nvim.lua('return _G.seen'), 'the list')) as never;
}

const isOn = (nvim: TestNvim, line: string) =>
  nvim.waitFor(
    async () =>
      String(await nvim.lua('return { vim.bo.filetype, vim.api.nvim_get_current_line() }')) === `acp,${line}`,
    `the cursor on "${line}"`,
  );

describe(':AcpSearch', () => {
  it('goes to the line in an open chat', async ({ start }) => {
    const nvim = await startChat(start, { init: pickers });
    await converse(nvim, 'hello, say hello needle');
    await converse(nvim, 'hello needle');
    await converse(nvim, 'hello hay');
    const { prompt, labels } = await search(nvim, 'needle');
    expect(prompt).toContain('Conversations with "needle"');
    expect(labels.some((label) => label.startsWith('hello needle · '))).toBe(true);
    await nvim.lua('_G.choose(...)', labels.findIndex((label) => label.startsWith('hello needle')) + 1);
    await isOn(nvim, 'hello needle');
  });

  it('makes the chat that it shows the one that commands are about', async ({ start }) => {
    const nvim = await startChat(start, { init: pickers });
    await converse(nvim, 'hello needle');
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().id == 2"), 'another chat');
    await search(nvim, 'needle');
    await nvim.lua('_G.choose(1)');
    await isOn(nvim, 'hello needle');
    await nvim.command('wincmd t');
    expect(await nvim.lua("return require('acp.chats').current().id")).toBe(1);
  });

  it('opens an earlier conversation at the line', async ({ start }) => {
    const nvim = await startChat(start, { init: pickers });
    await converse(nvim, 'hello needle');
    await nvim.command('AcpClose');
    await nvim.waitFor(() => nvim.lua("return #require('acp.chats').all() == 0"), 'no chat');
    const { labels } = await search(nvim, 'needle agent:tour');
    await nvim.lua('_G.choose(...)', labels.findIndex((label) => label.startsWith('hello needle')) + 1);
    await isOn(nvim, 'hello needle');
    await waitForPhase(nvim, 'idle');
    // The chat has a journal of its own, which begins with the earlier one.
    expect((await search(nvim, 'needle agent:tour')).labels).toHaveLength(labels.length);
  });

  it('opens a conversation whose session id an open chat was given again', async ({ start }) => {
    const chat = await startProgrammableChat(start);
    const { nvim } = chat;
    await chat.hear('a needle');
    await chat.startAgain();
    await chat.hear('some hay');
    await nvim.command('AcpSearch a needle');
    const labels = await chat.nextLabels();
    await chat.pick(labels.find((label) => label.startsWith('a needle'))!);
    await isOn(nvim, 'a needle');
  });

  it.for([
    ['nowhere-at-all', 'no conversation contains "nowhere-at-all"'],
    ['x since:monday', '"monday" is no date'],
    ['agent:tour', 'nothing to search for'],
  ] as const)('with %s says why there is no list', async ([words, message], { start }) => {
    const nvim = await startChat(start, { init: pickers });
    await nvim.command(`AcpSearch ${words}`);
    await nvim.waitFor(async () => (await nvim.messages()).includes(message), message);
  });
});
