import { describe, expect } from 'vitest';
import { converse, startChat, transcript, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const names =
  "return vim.iter(vim.api.nvim_list_bufs()):map(vim.api.nvim_buf_get_name):filter(function(name) return name:find('^acp://') end):totable()";

async function write(nvim: TestNvim, options: string): Promise<void> {
  await nvim.command(`set sessionoptions=${options} | mksession! Session.vim`);
}

async function waitForOneWindow(nvim: TestNvim): Promise<void> {
  await nvim.waitFor(async () => (await windows(nvim)).length === 1, 'one window');
}

const namesOfChat = `
  local chat = require('acp.chats').current()
  return vim.tbl_map(vim.api.nvim_buf_get_name, { chat.buf, chat.prompt })`;

const optionsOfChat = `
  local options = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local filetype = vim.bo[vim.api.nvim_win_get_buf(win)].filetype
    if vim.startswith(filetype, 'acp') then
      options[filetype] = { vim.wo[win].number, vim.wo[win].winfixbuf, vim.wo[win].statuscolumn }
    end
  end
  return options`;

const defaults = 'blank,buffers,curdir,folds,help,tabpages,winsize,terminal';

describe('a session file of a Neovim with a chat', () => {
  it.for([defaults, `${defaults},options,localoptions,globals,winpos`])(
    'restores no empty chat buffers and lets chats open: %s',
    async (options, { start }) => {
      const nvim = await startChat(start, { files: { 'a.txt': 'text\n' } });
      await nvim.command('wincmd t | edit a.txt | AcpChat');
      await write(nvim, options);
      await nvim.quit();
      const next = await start({ sandbox: nvim.sandbox, args: ['-S', 'Session.vim'] });
      await waitForOneWindow(next);
      expect(await next.lua(names)).toEqual([]);
      expect(await next.lines()).toEqual(['text']);
      await next.attachHost();
      await next.command('AcpChat tour');
      await next.input('<Esc>');
      await next.waitForScreen('Welcome');
      expect(await windows(next)).toEqual([expect.anything(), 'acp', 'acp-prompt']);
      expect(await next.messages()).not.toMatch(/E\d+:|traceback/);
    },
  );

  it('can be loaded while the chat is open', async ({ start }) => {
    const nvim = await startChat(start, { files: { 'a.txt': 'text\n' } });
    await nvim.command('wincmd t | edit a.txt | AcpChat');
    await nvim.input('<Esc>ia draft<Esc>');
    await converse(nvim, 'hello');
    const before = await transcript(nvim);
    await write(nvim, defaults);
    await nvim.input(':source Session.vim<CR>');
    await waitForOneWindow(nvim);
    expect(await nvim.messages()).not.toMatch(/E\d+:|traceback/);
    await nvim.command('AcpChat');
    expect(await windows(nvim)).toEqual([expect.anything(), 'acp', 'acp-prompt']);
    expect(await transcript(nvim)).toEqual(before);
    expect(await nvim.lines()).toEqual(['a draft']);
    expect((await nvim.lua<string[]>(names)).toSorted()).toEqual(['acp://tour-1', 'acp://tour-1-prompt']);
  });

  it.for([/^silent only$/m, /^edit a\.txt$/m, /^file acp:.*$/m])(
    'leaves the chat as it was if it fails behind %s',
    async (line, { start }) => {
      const nvim = await startChat(start, { files: { 'a.txt': 'text\n' } });
      await nvim.command('wincmd t | edit a.txt | AcpChat | stopinsert');
      const ours = await nvim.lua(optionsOfChat);
      await write(nvim, defaults);
      const text = nvim.sandbox.read('Session.vim');
      const broken = text.replace(line, (found) => `${found}\nthrow 'half-way'`);
      nvim.sandbox.write({ 'Session.vim': broken });
      expect(await nvim.lua("return pcall(vim.cmd, 'source Session.vim')")).toBe(false);
      await nvim.waitFor(
        async () => String(await nvim.lua(namesOfChat)) === 'acp://tour-1,acp://tour-1-prompt',
        'the names of the chat',
      );
      await nvim.command('AcpChat | stopinsert | set scrolloff=3');
      expect((await windows(nvim)).filter((name) => name !== 'text')).toEqual(['acp', 'acp-prompt']);
      expect(await nvim.lua(optionsOfChat)).toEqual(ours);
    },
  );

  it('restores a tab page with only a chat as an empty window', async ({ start }) => {
    const nvim = await startChat(start, { files: { 'a.txt': 'text\n' } });
    await nvim.command('wincmd t | edit a.txt | tabnew | AcpChat | wincmd t | close');
    await write(nvim, defaults);
    await nvim.quit();
    const next = await start({ sandbox: nvim.sandbox, args: ['-S', 'Session.vim'] });
    await next.waitFor(() => next.lua<boolean>('return #vim.api.nvim_list_tabpages() == 1'), 'one tab page');
    expect(await next.lines()).toEqual(['text']);
    expect(await next.lua(names)).toEqual([]);
  });

  it('keeps text that was typed into a restored chat buffer', async ({ start }) => {
    const nvim = await start();
    await nvim.lua(
      "vim.cmd('noautocmd edit acp://tour-1') vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'mine' })",
    );
    await nvim.attachHost();
    await nvim.command('AcpChat tour');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
    await nvim.command('stopinsert | wincmd t');
    expect(await nvim.lines()).toEqual(['mine']);
  });

  it.for(['edit acp://tour/1', 'edit acp://tour-1-prompt', 'edit acp://nothing'])(
    'or :%s leaves an empty buffer without a name',
    async (command, { start }) => {
      const nvim = await start();
      await nvim.command(command);
      await nvim.waitFor(async () => (await nvim.lua<string[]>(names)).length === 0, 'no such buffer');
      expect(await nvim.lua('return vim.api.nvim_buf_get_name(0)')).toBe('');
    },
  );
});
