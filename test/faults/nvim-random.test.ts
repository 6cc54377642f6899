import { describe, expect, it } from 'vitest';
import { FaultyChat } from '../support/faults/faulty-chat.ts';
import { shareNvim } from '../support/faults/shared-nvim.ts';
import { shortOrLong } from '../support/long.ts';
import { drawn, transcript } from '../support/nvim/chat.ts';
import { recordQuestions } from '../support/nvim/user.ts';
import { fc } from '../support/property.ts';

const chat = "require('acp.chats').current()";

/** What users, plugins and accidents do to the buffers and windows of a chat, as Lua. */
const deeds = [
  `vim.cmd.bwipeout({ ${chat}.buf, bang = true })`,
  `vim.cmd.bwipeout({ ${chat}.prompt, bang = true })`,
  `vim.cmd.bdelete({ ${chat}.buf, bang = true })`,
  `vim.cmd.bunload({ ${chat}.prompt, bang = true })`,
  `vim.api.nvim_buf_clear_namespace(${chat}.buf, -1, 0, -1)`,
  `vim.api.nvim_buf_clear_namespace(${chat}.prompt, -1, 0, -1)`,
  `vim.bo[${chat}.buf].modifiable = true vim.api.nvim_buf_set_lines(${chat}.buf, 0, -1, false, { 'gone' })`,
  `vim.bo[${chat}.buf].modifiable = true vim.api.nvim_buf_set_lines(${chat}.buf, 2, 3, false, {})`,
  `vim.api.nvim_buf_call(${chat}.buf, function() vim.cmd('edit!') end)`,
  `vim.api.nvim_buf_set_name(${chat}.buf, 'another name')`,
  `vim.bo[${chat}.buf].filetype = 'lua'`,
  `vim.api.nvim_win_close(vim.fn.bufwinid(${chat}.buf), true)`,
  `vim.api.nvim_win_close(vim.fn.bufwinid(${chat}.prompt), true)`,
  "vim.cmd('only!')",
  "vim.cmd('tabnew')",
  "vim.cmd('tabonly!')",
  "vim.cmd('enew!')",
  "vim.cmd('AcpChat')",
  "vim.cmd('AcpChat!')",
  "vim.cmd('wincmd w')",
];

const nvimOf = shareNvim({ init: `${recordQuestions}\nvim.o.swapfile = false`, columns: 120 });

describe('buffers, windows and marks that are removed at random while an agent answers', () => {
  it('leave the draft and, after :AcpChat, the whole answer', {
    timeout: shortOrLong(60_000, 1_800_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...deeds), { minLength: 4, maxLength: 12 }),
        async (steps) => {
          const nvim = nvimOf();
          const open = await FaultyChat.open(nvim, { stage: 'turn', fault: 'work slowly' });
          await open.waitForPhase('idle');
          await open.send('go on');
          await open.type('a draft');
          await open.waitForPrompt('a draft');
          open.go();
          for (const step of steps) await nvim.lua(`pcall(function() ${step} end)`);
          await open.waitForPhase('idle');
          await nvim.lua("vim.cmd('silent! tabonly! | silent! only! | silent! enew! | AcpChat')");
          await nvim.input('<C-\\><C-n>');
          await open.waitForText('all is well');
          await drawn(nvim);
          const numbers = (await transcript(nvim)).filter((line) => /^\d+$/.test(line)).map(Number);
          expect(numbers).toEqual(Array.from({ length: 299 }, (__, index) => index + 1));
          await open.waitForPrompt('a draft');
          expect(await nvim.messages()).not.toMatch(/lua\/acp|traceback/);
          await open.close();
        },
      ),
      {
        numRuns: shortOrLong(6, 100),
        endOnFailure: true,
        seed: Number(process.env.ACP_TEST_SEED ?? 1),
      },
    );
  });
});
