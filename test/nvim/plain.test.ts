import { describe, expect } from 'vitest';
import { converse, drawn, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { doubleClick } from '../support/nvim/user.ts';

/** Every virtual text of the windows of the chat. */
const virtualTexts = (nvim: TestNvim) =>
  nvim.lua<unknown[]>(`
    local chat = require('acp.chats').current()
    local found = {}
    for _, buf in ipairs({ chat.buf, chat.prompt }) do
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })) do
        if mark[4].virt_text or mark[4].virt_lines then
          table.insert(found, mark[4].virt_text or mark[4].virt_lines)
        end
      end
    end
    return found`);

describe('the option plain', () => {
  it('shows words and no virtual text', async ({ start }) => {
    const nvim = await startChat(start, { config: '{ plain = true }', columns: 140, lines: 40 });
    await converse(nvim, 'tools');
    await converse(nvim, 'markdown');
    const lines = await transcript(nvim);
    expect(lines.some((line) => /^done: read .* closed$/.test(line))).toBe(true);
    expect(lines.some((line) => line.startsWith('failed: '))).toBe(true);
    expect(lines.filter((line) => /^\s*[✓✗●○⊘▸▾] /.test(line))).toEqual([]);
    expect(await virtualTexts(nvim)).toEqual([]);
    await nvim.waitFor(() => !/[▎›─●✓]/.test(nvim.screen.lines().join('\n')), 'a screen without signs');
  });

  it('opens a thought with a double click', async ({ start }) => {
    const nvim = await startChat(start, { config: '{ plain = true }' });
    await converse(nvim, 'think');
    await nvim.input('<Esc>');
    const thought = 'closed: thought';
    await nvim.waitForScreen(thought);
    await doubleClick(nvim, thought);
    await nvim.waitForScreen('open: thought');
  });

  it('says in the winbar that the agent works, without a time', async ({ start }) => {
    const nvim = await startChat(start, { config: '{ plain = true }' });
    await nvim.command('AcpSend hang');
    await waitForPhase(nvim, 'running');
    await nvim.waitForScreen('working');
    expect(await virtualTexts(nvim)).toEqual([]);
    await nvim.input('<C-c>');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
  });
});

describe('the option markdown = "plugin"', () => {
  const config = "{ markdown = 'plugin' }";

  it('leaves Markdown as it is written, without concealing', async ({ start }) => {
    const nvim = await startChat(start, { config, columns: 140, lines: 40 });
    await converse(nvim, 'markdown');
    const text = (await transcript(nvim)).join('\n');
    expect(text).toMatch(/^#+ /m);
    const conceals = await nvim.lua<number>(`
      local buf, count = require('acp.chats').current().buf, 0
      local ns = vim.api.nvim_create_namespace('acp.chat.line_highlights')
      local set = vim.api.nvim_buf_set_extmark
      vim.api.nvim_buf_set_extmark = function(b, n, row, col, options)
        if n == ns and (options.conceal or options.virt_text) then count = count + 1 end
        return set(b, n, row, col, options)
      end
      vim.cmd('redraw!')
      vim.api.nvim_buf_set_extmark = set
      return count`);
    expect(conceals).toBe(0);
  });

  it('tells other plugins about changes while another window is current', async ({ start }) => {
    const init = `
      vim.g.changes = 0
      vim.api.nvim_create_autocmd('FileType', { pattern = 'acp', callback = function(event)
        vim.api.nvim_create_autocmd('TextChanged', { buffer = event.buf, callback = function(change)
          vim.g.changes = vim.g.changes + (change.buf == event.buf and 1 or 0)
        end })
      end })`;
    const nvim = await startChat(start, { config, init });
    await converse(nvim, 'markdown');
    const before = await nvim.lua<number>('return vim.g.changes');
    await nvim.command('AcpSend plan');
    await nvim.waitFor(async () => (await nvim.lua<number>('return vim.g.changes')) > before, 'the event');
    expect(await nvim.lua('return vim.bo.filetype')).toBe('acp-prompt');
    await waitForPhase(nvim, 'idle');
  });

  it('gives the buffer a Markdown parser before its filetype is set', async ({ start }) => {
    const init = `
      vim.api.nvim_create_autocmd('FileType', { pattern = 'acp', callback = function(event)
        local lang = vim.treesitter.language.get_lang('acp')
        vim.g.lang = lang
        vim.g.has_parser = pcall(vim.treesitter.get_parser, event.buf, lang)
      end })`;
    const nvim = await startChat(start, { config, init });
    expect(await nvim.lua('return { vim.g.lang, vim.g.has_parser }')).toEqual(['markdown', true]);
    const isActive = "return vim.treesitter.highlighter.active[require('acp.chats').current().buf] ~= nil";
    expect(await nvim.lua(isActive)).toBe(true);
  });
});
