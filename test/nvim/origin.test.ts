import { describe, expect } from 'vitest';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' };

/** The file in the window that mentions are about. */
const origin = (nvim: TestNvim) =>
  nvim.lua<string>(`
    local win = require('acp.context.origin').window()
    return win and vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))) or 'none'`);

describe('the window that mentions are about', () => {
  it('is the current one if it shows a file', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.command('topleft split a.txt | split b.txt | wincmd j');
    expect(await origin(nvim)).toBe('a.txt');
  });

  it('is the previous one while the user is in the prompt', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.command('topleft split a.txt | split b.txt | wincmd j | wincmd b');
    expect(await origin(nvim)).toBe('a.txt');
  });

  it('is the one used last after a walk through both windows of the chat', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.command('topleft split a.txt | split b.txt | split c.txt | wincmd j | wincmd b | wincmd k');
    await nvim.command('wincmd j');
    expect(await origin(nvim)).toBe('b.txt');
  });

  it('is not a float, a terminal or a list', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.command('topleft split a.txt | terminal');
    await nvim.command('topleft split b.txt | copen');
    await nvim.lua(`
      local buf = vim.api.nvim_create_buf(false, true)
      vim.api.nvim_open_win(buf, true, { relative = 'editor', row = 1, col = 1, width = 9, height = 2 })`);
    expect(await origin(nvim)).toBe('b.txt');
  });

  it('is none if the tab page has only the chat', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('wincmd t | close');
    expect(await origin(nvim)).toBe('none');
  });
});

describe('the mention of a file', () => {
  it.for([
    ['/work/src/a.ts', undefined, '@src/a.ts'],
    ['/work/src/a.ts', [10, 20], '@src/a.ts:10-20'],
    ['/work/src/a.ts', [3, 3], '@src/a.ts:3'],
    ['/elsewhere/a.ts', undefined, '@/elsewhere/a.ts'],
    ['/work/my file.txt', [1, 2], '@"my file.txt":1-2'],
    ['/work/buffer', undefined, '@./buffer'],
    ['/work/Makefile', [1, 2], '@Makefile:1-2'],
    ['/work/a@b.ts', undefined, '@"a@b.ts"'],
    ['/work/odd.', undefined, '@"odd."'],
    ['/work/größe.md', undefined, '@"größe.md"'],
    ['/work/a"b', undefined, 'nil'],
  ] as const)('%s, lines %j: %s', async ([path, range, mention], { nvim }) => {
    const [first, last] = range ?? [];
    const made = await nvim.lua(
      `local path, first, last = ...
       local range = first ~= vim.NIL and { first = first, last = last } or nil
       return tostring(require('acp.context.reference').of(path, '/work', range))`,
      path,
      first ?? null,
      last ?? null,
    );
    expect(made).toBe(mention);
  });
});
