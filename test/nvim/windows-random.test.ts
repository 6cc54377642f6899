import { describe, expect } from 'vitest';
import { shortOrLong } from '../support/long.ts';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { fc } from '../support/property.ts';

/** What users do with windows. Errors of Neovim are expected. */
const layoutCommands = [
  'wincmd o',
  'wincmd s',
  'wincmd v',
  'wincmd c',
  'wincmd T',
  'wincmd H',
  'wincmd J',
  'wincmd K',
  'wincmd L',
  'wincmd w',
  'wincmd p',
  'wincmd k',
  'wincmd x',
  'wincmd r',
  'wincmd =',
  'wincmd _',
  'wincmd |',
  'wincmd R',
  'wincmd b',
  'wincmd t',
  'vertical resize 3',
  'vnew',
  'botright 5new',
  'leftabove split',
  'aboveleft vnew',
  'tab split',
  'silent! execute "normal! \\<C-o>"',
  'silent! execute "normal! \\<C-^>"',
  'silent! buffer #',
  'edit!',
  'windo set tabstop=4',
  'silent! bufdo set tabstop=4',
  'silent! argdo set tabstop=4',
  'tabdo set tabstop=4',
  'lua vim.o.columns, vim.o.lines = vim.o.columns == 100 and 64 or 100, vim.o.lines == 30 and 16 or 30',
  'lua require("acp").setup({ notify = false })',
  'bdelete!',
  'bwipeout!',
  'enew!',
  'edit! a.txt',
  'only',
  'copen',
  'cclose',
  'tabnew',
  'tabclose',
  'tabonly',
  'tabnext',
  'AcpChat',
  'AcpChat!',
  'AcpPlan',
  'AcpTraffic',
  'AcpPermissions',
  'AcpSessions panel',
  'AcpExport',
  'AcpQueue',
  'AcpNew tour',
  "lua vim.api.nvim_open_win(0, true, { relative = 'editor', row = 1, col = 1, width = 9, height = 3 })",
];

/** Typing and streaming, which must not change the size of any window of the user. */
const quietCommands = [
  'normal! ione',
  'normal! oone\rtwo\rthree',
  'normal! ggdG',
  'silent! normal! Gzt',
  "lua require('acp.chat.actions').send(require('acp.chats').current(), 'plan')",
];

// A window that shows a buffer again has the local 'winbar' that the last one had, so that is not set.
const settings = [
  'set cmdheight=1 laststatus=2 equalalways | setglobal winbar=',
  // Without a command line, Neovim 0.10 waits for a key after every message.
  "execute 'set cmdheight=' .. (has('nvim-0.11') ? 0 : 1) .. ' laststatus=3 equalalways' | setglobal winbar=",
  'set cmdheight=1 laststatus=3 noequalalways | setglobal winbar=%f',
  'set cmdheight=1 laststatus=1 splitright splitbelow | setglobal winbar=',
];

/**
 * Defines what one step does, `walk.take`, and what it must not have done, `walk.check`. Neovim tells of resized windows
 * between the two, as it does between two keys of a user.
 */
const defineWalk = `
local setting, quiet = ...
vim.cmd(setting)
local cmdheight = vim.o.cmdheight
local names = {
  'breakindent', 'colorcolumn', 'conceallevel', 'cursorline', 'fillchars', 'foldcolumn', 'foldenable', 'linebreak',
  'list', 'number', 'numberwidth', 'relativenumber', 'signcolumn', 'smoothscroll', 'spell', 'statuscolumn',
  'statusline', 'winbar', 'winfixbuf', 'wrap',
}
local function is_of_user(win)
  local buf = vim.api.nvim_win_get_buf(win)
  return vim.api.nvim_win_get_config(win).relative == ''
    and vim.bo[buf].buftype == ''
    -- A review compares the file with what it was.
    and not vim.wo[win].diff
    and not vim.startswith(vim.api.nvim_buf_get_name(buf), 'acp://')
end
local function sizes()
  local found = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if is_of_user(win) then
      found[win] = vim.api.nvim_win_get_width(win) .. 'x' .. vim.api.nvim_win_get_height(win)
    end
  end
  return found
end
local windows, before, failure
walk = {}
function walk.take(step)
  windows, before = vim.api.nvim_tabpage_list_wins(0), sizes()
  -- A message of Neovim, such as "Already only one window", may wait for a key.
  local ok, result = pcall(vim.cmd, 'silent ' .. step)
  failure = not ok and tostring(result) or ''
  pcall(vim.cmd.stopinsert)
  vim.wait(5)
end
function walk.check(step)
  local troubles = {}
  local function complain(what)
    table.insert(troubles, step .. ': ' .. what)
  end
  if failure:find('acp/') or failure:find('E95') then
    complain(failure)
  end
  if vim.o.cmdheight ~= cmdheight then
    complain('cmdheight ' .. vim.o.cmdheight)
    -- There may be no room, and that message would wait for a key.
    vim.cmd('silent! set cmdheight=' .. cmdheight)
  end
  -- The host may answer an earlier command now, and open the window that was asked for.
  local is_same = vim.deep_equal(windows, vim.api.nvim_tabpage_list_wins(0))
  if vim.list_contains(quiet, step) and is_same then
    for win, size in pairs(sizes()) do
      if before[win] and before[win] ~= size then
        complain(('a window of the user was %s and is %s'):format(before[win], size))
      end
    end
  end
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    for _, name in ipairs(is_of_user(win) and names or {}) do
      local value = vim.api.nvim_get_option_value(name, { win = win, scope = 'local' })
      local global = vim.api.nvim_get_option_value(name, { scope = 'global' })
      if value ~= global and not (value == '' and (name == 'winbar' or name == 'statusline' or name == 'fillchars')) then
        complain(('%s of a window of the user is %s'):format(name, vim.inspect(value)))
      end
    end
  end
  return troubles
end`;

async function troublesOf(nvim: TestNvim, setting: string, steps: readonly string[]): Promise<string[]> {
  await nvim.lua(defineWalk, setting, quietCommands);
  const troubles: string[] = [];
  for (const step of steps) {
    await nvim.lua('walk.take(...)', step);
    troubles.push(...(await nvim.lua<string[]>('return walk.check(...)', step)));
  }
  return troubles;
}

describe('windows of a chat under random commands', () => {
  it('never fail, and never change the command line or the windows of the user', {
    timeout: shortOrLong(60_000, 1_800_000),
  }, async ({ start }) => {
    const nvim = await startChat(start, {
      init: 'vim.o.number = true vim.o.hidden = true vim.o.swapfile = false vim.o.list = true',
      files: { 'a.txt': 'text\n' },
      // Without a command line, a notification beside another message waits for a key.
      config: '{ notify = false }',
    });
    await nvim.lua("require('acp').send('plan')");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...settings),
        fc.array(fc.constantFrom(...layoutCommands, ...quietCommands), { minLength: 3, maxLength: 12 }),
        async (setting, steps) => {
          await nvim.lua('vim.cmd("silent! tabonly! | silent! wincmd t | silent! only! | silent! enew!")');
          expect(await troublesOf(nvim, setting, steps)).toEqual([]);
          expect(await nvim.messages()).not.toMatch(/lua\/acp|traceback/);
        },
      ),
      { numRuns: shortOrLong(40, 400), endOnFailure: true, seed: Number(process.env.ACP_TEST_SEED ?? 1) },
    );
  });
});
