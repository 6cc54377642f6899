import { describe, expect } from 'vitest';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const files = { 'a.txt': 'a\n', 'src/b.ts': 'b\n' };

/** The highlighted parts of the prompt, such as `+@a.txt` or `?@missing.ts`. */
const marked = (nvim: TestNvim) =>
  nvim.lua<string[]>(`
    local buf = require('acp.chats').current().prompt
    local ns = vim.api.nvim_create_namespace('acp.context.marks')
    return vim.tbl_map(function(mark)
      local _, row, column, details = unpack(mark)
      local text = vim.api.nvim_buf_get_text(buf, row, column, row, details.end_col, {})[1]
      return (details.hl_group == 'AcpMention' and '+' or '?') .. text
    end, vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true }))`);

async function expectMarked(nvim: TestNvim, expected: readonly string[]): Promise<void> {
  await nvim.waitFor(
    async () => JSON.stringify(await marked(nvim)) === JSON.stringify(expected),
    `the marks ${expected.join(' ')}`,
  );
}

describe('mentions in the prompt', () => {
  it('are highlighted by whether they refer to something', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.input('isee @a.txt and @src/c.ts, @bufer, @alice, me@example.org and größe @this ');
    await expectMarked(nvim, ['+@a.txt', '?@src/c.ts', '?@bufer', '+@this']);
  });

  it('are not shown as unknown while they are being written', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.input('i@this @src/');
    await expectMarked(nvim, ['+@this', '+@src/']);
    await nvim.input('c.ts');
    await expectMarked(nvim, ['+@this']);
    await nvim.input('<Esc>');
    await expectMarked(nvim, ['+@this', '?@src/c.ts']);
  });

  it('lose their highlight in a code block and when the text is deleted', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.input('i@a.txt<Esc>');
    await expectMarked(nvim, ['+@a.txt']);
    await nvim.input('O```<Esc>');
    await expectMarked(nvim, []);
    await nvim.input('u');
    await expectMarked(nvim, ['+@a.txt']);
    await nvim.input('dd');
    await expectMarked(nvim, []);
  });

  it('of a buffer whose file is not written yet are known', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.command('topleft split new.txt | wincmd b');
    await nvim.input('i@new.txt @none.txt .<Esc>');
    await expectMarked(nvim, ['+@new.txt', '?@none.txt']);
  });

  it('are not looked for in a draft of a megabyte', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.lua(`
      local host = require('acp.host')
      local notify = host.notify_if_running
      _G.finds = 0
      host.notify_if_running = function(op, payload)
        _G.finds = _G.finds + (op == 'mentions.find' and 1 or 0)
        return notify(op, payload)
      end
      local lines = {}
      for index = 1, 20000 do
        lines[index] = ('@a.txt some words'):rep(3)
      end
      vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)`);
    await nvim.input('Ghello<Esc>ix<Esc>');
    await nvim.waitFor(() => nvim.lua("return vim.api.nvim_get_mode().mode == 'n'"), 'Normal mode');
    expect(await nvim.lua('return _G.finds')).toBe(0);
    expect(await marked(nvim)).toEqual([]);
  });

  it('are asked for once at a time, and answers about an earlier text are dropped', async ({ start }) => {
    const nvim = await startChat(start, { files });
    const asked = await nvim.lua<number[]>(`
      local host, marks = require('acp.host'), require('acp.context.marks')
      local chat, sent = require('acp.chats').current(), {}
      local notify = host.notify_if_running
      host.notify_if_running = function(op, payload)
        if op == 'mentions.find' then
          table.insert(sent, payload)
          return true
        end
        return notify(op, payload)
      end
      vim.api.nvim_buf_set_lines(chat.prompt, 0, -1, false, { '@a.txt' })
      marks.update(chat.id, chat.prompt)
      vim.api.nvim_buf_set_lines(chat.prompt, 0, -1, false, { 'x @a.txt' })
      marks.update(chat.id, chat.prompt)
      marks.update(chat.id, chat.prompt)
      local before = #sent
      local first = sent[1]
      marks.found({ chat = chat.id, buf = first.buf, tick = first.tick, marks = { 0, 0, 6, 1 } })
      local ns = vim.api.nvim_create_namespace('acp.context.marks')
      local drawn = #vim.api.nvim_buf_get_extmarks(chat.prompt, ns, 0, -1, {})
      host.notify_if_running = notify
      return { before, #sent, drawn }`);
    expect(asked).toEqual([1, 2, 0]);
  });
});
