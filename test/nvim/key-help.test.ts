import { describe, expect } from 'vitest';
import { startEditingChat } from '../support/agents/programmable-chat.ts';
import { converse, startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const shown = (nvim: TestNvim) =>
  nvim.lua<string>(
    "return vim.bo.filetype == 'acp-keys' and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') or ''",
  );

/** Opens the list with a key, closes it again and returns it. */
async function help(nvim: TestNvim, key = 'g?'): Promise<string> {
  const before = await nvim.lua('return vim.api.nvim_get_current_win()');
  await nvim.input(key);
  await nvim.waitFor(() => shown(nvim), 'the list of keys');
  const text = await shown(nvim);
  await nvim.waitForScreen('Keys and commands');
  await nvim.input('q');
  await nvim.waitFor(
    async () => (await nvim.lua('return vim.api.nvim_get_current_win()')) === before,
    'the list to close',
  );
  expect(text).toMatch(/^Commands$/m);
  expect(text).toMatch(/:AcpReview +Review the changes/);
  return text;
}

async function openQueue(nvim: TestNvim): Promise<void> {
  await nvim.command('AcpSend hang');
  await nvim.command('AcpSend later');
  await nvim.waitForScreen('later');
  await nvim.command('AcpQueue');
}

describe('the list of keys and commands', () => {
  it('leaves room for its border on a narrow screen', async ({ start }) => {
    const nvim = await startChat(start, { columns: 60 });
    await nvim.input('g?');
    await nvim.waitFor(() => shown(nvim), 'the list of keys');
    const place = `
      local win = vim.api.nvim_get_current_win()
      return { vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_position(win)[2] }`;
    expect(await nvim.lua(place)).toEqual([56, 1]);
  });

  it('has the keys of the chat and the prompt, in both windows', async ({ start }) => {
    const nvim = await startChat(start);
    const prompt = await help(nvim);
    expect(prompt).toMatch(/^Prompt$/m);
    expect(prompt).toMatch(/^ +<CR> +n +send$/m);
    expect(prompt).toMatch(/^Chat$/m);
    await nvim.input('<C-w>k');
    const chat = await help(nvim);
    expect(chat).toMatch(/^ +1 … 9 +n +answer the question$/m);
    expect(chat).toMatch(/^ +\]\] +n x +next prompt$/m);
    expect(chat).toMatch(/^ +A I O a i o +n +write in the prompt$/m);
    expect(chat).toMatch(/^ +gF gf gx +n +go to the path or link$/m);
    expect(chat).toMatch(/^ +gF gf +x +go to the file$/m);
  });

  it('closes when the window is left, and changes no other window', async ({ start }) => {
    const nvim = await startChat(start, { init: "vim.o.winbar = '%f' vim.o.number = true" });
    const before = nvim.screen.text();
    await nvim.input('g?');
    await nvim.waitForScreen('Keys and commands');
    await nvim.input('<C-w>p');
    await nvim.waitFor(async () => nvim.screen.text() === before, 'the same screen');
  });

  it.for<[string, (nvim: TestNvim) => Promise<unknown>, string]>([
    ['the traffic', (nvim) => nvim.command('AcpTraffic'), 'next message'],
    ['the plan', (nvim) => nvim.command('AcpPlan | wincmd k | wincmd k'), 'close'],
    ['the window that asks', (nvim) => nvim.input(':AcpAsk<CR><Esc>'), 'send'],
    ['a terminal', (nvim) => nvim.command('AcpRun echo one'), 'quickfix'],
    ['the rules', (nvim) => nvim.command('AcpPermissions'), 'close'],
    ['the queue', openQueue, 'send this prompt now'],
  ])('opens in %s', async ([, open, key], { start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'plan');
    const before = await nvim.lua('return vim.api.nvim_get_current_win()');
    await open(nvim);
    await nvim.waitFor(
      async () => (await nvim.lua('return vim.api.nvim_get_current_win()')) !== before,
      'the window',
    );
    expect(await help(nvim)).toContain(key);
  });

  it('opens in a review, also in the file behind the prefix, and in a diff', async ({ start }) => {
    const chat = await startEditingChat(start, { files: { 'a.txt': 'one\n' } });
    const { nvim } = chat;
    await chat.run(['write', 'a.txt', 'two\n']);
    await chat.review();
    expect(await help(nvim)).toMatch(/^ +X +n +reject the file$/m);
    await nvim.command('wincmd j | wincmd l');
    await nvim.waitFor(
      () => nvim.lua<boolean>("return vim.fn.maparg('\\\\g?', 'n') ~= ''"),
      'the key in the file',
    );
    expect(await help(nvim, '\\g?')).toMatch(/^ +\\X +n +reject the file$/m);
    expect(await nvim.lua("return vim.fn.maparg('g?', 'n', false, true).buffer")).not.toBe(1);
    await nvim.input('\\q');
    await nvim.waitFor(async () => (await nvim.lua("return vim.fn.tabpagenr('$')")) === 1, 'one tab page');
    expect(await nvim.lua("return vim.fn.maparg('\\\\g?', 'n')")).toBe('');
  });
});
