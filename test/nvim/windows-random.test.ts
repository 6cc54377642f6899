import { describe, expect } from 'vitest';
import { shortOrLong } from '../support/long.ts';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { fc } from '../support/property.ts';

/** What users do with windows. Errors of Neovim are expected. */
const commands = [
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
  'wincmd k',
  'wincmd x',
  'wincmd =',
  'wincmd _',
  'bdelete!',
  'bwipeout!',
  'enew!',
  'edit! a.txt',
  'tabnew',
  'tabclose',
  'tabnext',
  'AcpChat',
  'AcpChat!',
  'AcpPlan',
  'AcpTraffic',
  'AcpNew tour',
  'normal! ione',
  'normal! oone\rtwo\rthree',
  'normal! ggdG',
  'wincmd |',
  'vertical resize 3',
];

const walk = `
local steps = ...
local function is_ours(buf)
  return vim.startswith(vim.api.nvim_buf_get_name(buf), 'acp://')
end
local troubles = {}
for _, step in ipairs(steps) do
  local ok, failure = pcall(vim.cmd, step)
  if not ok and (tostring(failure):find('acp/') or tostring(failure):find('E95')) then
    table.insert(troubles, step .. ': ' .. failure)
  end
  pcall(vim.cmd.stopinsert)
  vim.wait(5)
  if vim.o.cmdheight ~= 1 then
    table.insert(troubles, step .. ': cmdheight ' .. vim.o.cmdheight)
    vim.o.cmdheight = 1
  end
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local is_plain = vim.api.nvim_win_get_config(win).relative == ''
    if is_plain and not is_ours(vim.api.nvim_win_get_buf(win)) then
      if vim.wo[win].winfixbuf or not vim.wo[win].number or vim.wo[win].statuscolumn ~= '' then
        table.insert(troubles, step .. ': the options of a window of the user')
      end
    end
  end
end
return troubles`;

describe('windows of a chat under random commands', () => {
  it('never fail, and never change the command line or the windows of the user', {
    timeout: shortOrLong(120_000, 1_200_000),
  }, async ({ start }) => {
    const nvim = await startChat(start, {
      init: 'vim.o.number = true vim.o.hidden = true vim.o.swapfile = false',
      files: { 'a.txt': 'text\n' },
    });
    await nvim.command('AcpSend plan');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...commands), { minLength: 3, maxLength: 12 }),
        async (steps) => {
          await nvim.lua('vim.cmd("silent! tabonly | silent! wincmd t | silent! only")');
          expect(await nvim.lua<string[]>(walk, steps)).toEqual([]);
          expect(await nvim.messages()).not.toMatch(/lua\/acp|traceback/);
        },
      ),
      { numRuns: shortOrLong(40, 400), endOnFailure: true, seed: Number(process.env.ACP_TEST_SEED ?? 1) },
    );
  });
});
