import { describe, expect } from 'vitest';
import { shortOrLong } from '../support/long.ts';
import { promptText, startChat, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { fc } from '../support/property.ts';

const files = {
  'a.txt': `${Array.from({ length: 60 }, (_, row) => `a ${row + 1}`).join('\n')}\n`,
  'b.txt': `${Array.from({ length: 60 }, (_, row) => `b ${row + 1}`).join('\n')}\n`,
};

interface Seen {
  readonly windows: readonly string[];
  readonly current: string;
  readonly cursor: readonly number[];
  readonly mode: string;
}

/** What the windows of the tab page show, and where the user is. */
const look = (nvim: TestNvim) =>
  nvim.lua<Seen>(`
    local function name(win)
      return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)), ':t')
    end
    return {
      windows = vim.tbl_map(name, vim.api.nvim_tabpage_list_wins(0)),
      current = name(0),
      cursor = vim.api.nvim_win_get_cursor(0),
      mode = vim.api.nvim_get_mode().mode,
    }`);

/** Options and sizes of the windows of the chat. */
const chatLook = (nvim: TestNvim) =>
  nvim.lua<unknown>(`
    local chat = require('acp.chats').current()
    local names = { 'statuscolumn', 'number', 'wrap', 'linebreak', 'winbar', 'statusline', 'winhighlight', 'fillchars',
      'winfixheight', 'winfixwidth', 'conceallevel', 'signcolumn', 'cursorline', 'list', 'smoothscroll' }
    return vim.tbl_map(function(buf)
      local wins = vim.fn.win_findbuf(buf)
      local win = wins[1]
      local found = { #wins, vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win),
        vim.api.nvim_win_get_cursor(win), vim.fn.line('w0', win) }
      for _, name in ipairs(names) do
        table.insert(found, vim.api.nvim_get_option_value(name, { win = win, scope = 'local' }))
      end
      return found
    end, { chat.buf, chat.prompt })`);

const ofUser = `
  return { vim.wo.number, vim.wo.list, vim.wo.statuscolumn, vim.wo.winfixwidth, vim.wo.winfixheight, vim.wo.winbar }`;

/** A chat beside a.txt, with a draft of two lines, in the prompt or the transcript. */
async function startWithDraft(start: Parameters<typeof startChat>[0], go = ''): Promise<TestNvim> {
  const init = 'vim.o.number = true vim.o.list = true vim.o.swapfile = false';
  const nvim = await startChat(start, { files, init });
  await nvim.input('<C-w>t:edit a.txt<CR>:badd b.txt<CR><C-w>bione<CR>two<Esc>');
  await nvim.waitFor(async () => (await promptText(nvim)) === 'one\ntwo', 'the draft');
  await nvim.input(go);
  await nvim.waitFor(async () => (await look(nvim)).mode === 'n', 'Normal mode');
  return nvim;
}

/** Ways to open b.txt, and the line where it is opened. */
const ways: readonly (readonly [name: string, keys: string, line: number])[] = [
  [':edit', ':edit b.txt<CR>', 1],
  [':edit at a line', ':edit +50 b.txt<CR>', 50],
  [':buffer', ':buffer b.txt<CR>', 1],
  [':find', ':find b.txt<CR>', 1],
  [':drop', ':drop b.txt<CR>', 1],
  [':cnext', ':call setqflist([{"filename":"b.txt","lnum":40}])<CR>:cfirst<CR>', 40],
  ['the quickfix list', ':call setqflist([{"filename":"b.txt","lnum":40}])<CR>:copen<CR><CR>:cclose<CR>', 40],
  ['a jump of a plugin', ':lua jump(45)<CR>', 45],
  ['a jump of a plugin with the window', ':lua jump(45, vim.api.nvim_get_current_win())<CR>', 45],
  ['a picker in a float', ':lua pick(30)<CR>', 30],
];

const plugins = `
  function jump(line, win)
    local buf = vim.fn.bufadd('b.txt')
    vim.bo[buf].buflisted = true
    vim.api.nvim_win_set_buf(win or 0, buf)
    vim.api.nvim_win_set_cursor(win or 0, { line, 0 })
    vim.cmd('normal! zz')
  end
  function pick(line)
    local target = vim.api.nvim_get_current_win()
    local config = { relative = 'editor', row = 1, col = 1, width = 20, height = 3 }
    local float = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, config)
    vim.cmd.startinsert()
    vim.schedule(function()
      vim.cmd.stopinsert()
      pcall(vim.api.nvim_win_close, float, true)
      pcall(vim.api.nvim_set_current_win, target)
      pcall(vim.cmd.edit, 'b.txt')
      pcall(vim.api.nvim_win_set_cursor, 0, { line, 0 })
    end)
  end`;

describe('a file that is opened from a window of the chat', () => {
  it.for(
    ways.flatMap(([name, keys, line]) => [
      [`${name} in the prompt`, keys, line, ''] as const,
      [`${name} in the transcript`, keys, line, '<C-w>k'] as const,
    ]),
  )('stands in the window of the user: %s', async ([, keys, line, go], { start }) => {
    const nvim = await startWithDraft(start, go);
    await nvim.lua(plugins);
    const before = await chatLook(nvim);
    await nvim.input(keys);
    await nvim.waitFor(async () => {
      const seen = await look(nvim);
      return seen.current === 'b.txt' && seen.windows.length === 3 && seen.mode === 'n';
    }, 'the file');
    const seen = await look(nvim);
    expect(await windows(nvim)).toEqual(['text', 'acp', 'acp-prompt']);
    expect(seen.cursor[0]).toBe(line);
    expect(await nvim.lua(ofUser)).toEqual([true, true, '', false, false, '']);
    expect(await chatLook(nvim)).toEqual(before);
    expect(await promptText(nvim)).toBe('one\ntwo');
    expect(await nvim.messages()).not.toMatch(/E\d+:|traceback/);
    await nvim.input('<C-w>bu');
    await nvim.waitFor(async () => (await promptText(nvim)) !== 'one\ntwo', 'the undo of the draft');
  });

  it('ends Insert mode, so that no key for the prompt gets into it', async ({ start }) => {
    const nvim = await startWithDraft(start);
    await nvim.command('inoremap <F6> <Cmd>edit b.txt<CR>');
    await nvim.input('A<F6>');
    await nvim.waitFor(async () => (await look(nvim)).current === 'b.txt', 'the file');
    await nvim.waitFor(async () => (await look(nvim)).mode === 'n', 'Normal mode');
    expect(await promptText(nvim)).toBe('one\ntwo');
  });

  it.for(['<C-^>', '<C-o>'])('is the one that %s goes back to', async (key, { start }) => {
    const nvim = await startWithDraft(start);
    await nvim.input(':AcpChat!<CR>:edit b.txt<CR>:edit a.txt<CR>:AcpChat<CR><Esc>');
    await nvim.waitFor(async () => (await look(nvim)).current.includes('prompt'), 'the chat');
    if (key === '<C-^>') await nvim.lua("vim.fn.setreg('#', 'b.txt')");
    await nvim.input(key === '<C-o>' ? '<C-w>k2<C-o>' : key);
    await nvim.waitFor(async () => (await look(nvim)).current === 'b.txt', 'the file again');
    expect(await windows(nvim)).toEqual(['text', 'acp', 'acp-prompt']);
  });

  it.for([
    ['the window that was used last', '<C-w>w<C-w>b', ['a.txt', 'c.txt']],
    ['the first one, if it was used last', '<C-w>t<C-w>b', ['c.txt', 'b.txt']],
  ] as const)('stands in %s of two', async ([, go, expected], { start }) => {
    const nvim = await startWithDraft(start, '<C-w>t:rightbelow vsplit b.txt<CR><C-w>t');
    await nvim.input(`${go}:edit c.txt<CR>`);
    await nvim.waitFor(async () => (await look(nvim)).current === 'c.txt', 'the file');
    expect((await look(nvim)).windows.slice(0, 2)).toEqual(expected);
    await nvim.input('<C-w>b:buffer a.txt<CR>');
    await nvim.waitFor(async () => (await look(nvim)).current === 'a.txt', 'the other file');
    expect((await look(nvim)).windows.slice(0, 2)).toEqual(
      expected.map((name) => (name === 'c.txt' ? 'a.txt' : name)),
    );
  });

  it('opens beside a chat that is alone', async ({ start }) => {
    const nvim = await startWithDraft(start);
    await nvim.input('<C-w>t:close<CR>');
    await nvim.waitFor(async () => (await windows(nvim)).length === 2, 'the chat alone');
    await nvim.input(':edit b.txt<CR>');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'text,acp,acp-prompt', 'the file');
    expect((await look(nvim)).current).toBe('b.txt');
    expect(await nvim.lua('return vim.api.nvim_win_get_width(0)')).toBe(57);
  });

  it.for([
    ['a dashboard', "{ buftype = 'nofile', bufhidden = 'wipe', modifiable = false }", ''],
    ['the listing of a folder', "{ buftype = 'acwrite', bufhidden = 'hide' }", ''],
    [
      'a list whose width is fixed',
      "{ buftype = 'nofile', bufhidden = 'hide' }",
      'vim.wo.winfixwidth = true',
    ],
    ['a text that would be lost', "{ buftype = 'nofile', bufhidden = 'wipe' }", ''],
  ] as const)(
    'takes the only other window, or leaves it alone: %s',
    async ([name, options, more], { start }) => {
      const nvim = await startWithDraft(start, '<C-w>t');
      await nvim.lua(`
      vim.cmd.enew()
      vim.api.nvim_buf_set_name(0, 'other')
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'text' })
      for option, value in pairs(${options}) do
        vim.bo[option] = value
      end
      ${more}`);
      await nvim.input('<C-w>b:edit b.txt<CR>');
      await nvim.waitFor(async () => (await look(nvim)).current === 'b.txt', 'the file');
      const isLeft = name.startsWith('a list') || name.startsWith('a text');
      const others = (await look(nvim)).windows.slice(0, -2);
      expect(others).toEqual(isLeft ? ['b.txt', 'other'] : ['b.txt']);
    },
  );

  it.for([
    ['a command', ':edit b.txt<CR>'],
    ['a path in the chat', ':lua go("b.txt")<CR>'],
  ] as const)(
    'has room beside a list of fixed width that was left alone with the chat: %s',
    async ([, keys], { start }) => {
      const nvim = await startWithDraft(start, '<C-w>t:topleft vnew<CR>');
      const widths =
        "return { vim.api.nvim_win_get_width(0), vim.api.nvim_win_get_width(vim.fn.bufwinid(require('acp.chats').current().buf)) }";
      const [, before] = await nvim.lua<number[]>(widths);
      await nvim.lua(`
      function go(path)
        require('acp.ui.open_file').open({ path = vim.fn.fnamemodify(path, ':p') })
      end
      vim.bo.buftype = 'nofile'
      vim.wo.winfixwidth = true
      vim.api.nvim_win_set_width(0, 20)
      vim.api.nvim_win_close(vim.fn.bufwinid('a.txt'), true)
      vim.cmd.wincmd('b')`);
      await nvim.input(keys);
      await nvim.waitFor(async () => (await look(nvim)).current === 'b.txt', 'the file');
      await nvim.waitFor(async () => {
        const [file = 0, chat = 0] = await nvim.lua<number[]>(widths);
        return chat === before && file >= 20;
      }, 'the width of the file');
    },
  );

  it.for([
    ['the list of sessions', 'AcpSessions panel', 'acp-sessions'],
    ['the messages of the protocol', 'AcpTraffic', 'acp-traffic'],
  ] as const)('leaves %s, which ends with its window', async ([, command, filetype], { start }) => {
    const nvim = await startWithDraft(start, '<C-w>t');
    await nvim.input(`:${command}<CR>`);
    await nvim.waitFor(async () => (await windows(nvim)).includes(filetype), 'the window');
    const before = await windows(nvim);
    await nvim.input(':edit b.txt<CR>');
    await nvim.waitFor(async () => (await look(nvim)).current === 'b.txt', 'the file');
    expect(await windows(nvim)).toEqual(before);
    expect(await nvim.messages()).not.toMatch(/E\d+:/);
    await nvim.lua(`
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        if vim.bo[vim.api.nvim_win_get_buf(win)].filetype == '${filetype}' then
          vim.api.nvim_win_close(win, true)
        end
      end`);
    expect(
      await nvim.lua(`
        return #vim.tbl_filter(function(buf) return vim.bo[buf].filetype == '${filetype}' end, vim.api.nvim_list_bufs())`),
    ).toBe(0);
  });

  it('opens in a window that the user has split from the chat', async ({ start }) => {
    const nvim = await startWithDraft(start);
    await nvim.input('<C-w>k:split<CR>');
    await nvim.waitFor(async () => (await windows(nvim)).length === 4, 'the split');
    await nvim.input(':edit b.txt<CR>');
    await nvim.waitFor(async () => (await look(nvim)).current === 'b.txt', 'the file');
    expect((await windows(nvim)).filter((type) => type === 'acp')).toHaveLength(1);
    await nvim.input('<C-w>b:split a.txt<CR>');
    await nvim.waitFor(async () => (await look(nvim)).current === 'a.txt', 'the split');
    expect(await windows(nvim)).toHaveLength(5);
  });

  it('stays where it was opened if it was opened by the user in a window of its own', async ({ start }) => {
    const nvim = await startWithDraft(start);
    for (const command of ['vsplit b.txt', 'tabedit b.txt', 'new']) {
      await nvim.command(command);
      await nvim.lua('vim.wait(20)');
      expect((await look(nvim)).current).toBe(command === 'new' ? '' : 'b.txt');
      await nvim.command('close! | wincmd b');
    }
  });

  it('takes the place of the list of keys, which closes', async ({ start }) => {
    const nvim = await startWithDraft(start, 'g?');
    await nvim.input(':edit b.txt<CR>');
    await nvim.waitFor(async () => (await look(nvim)).current === 'b.txt', 'the file');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'text,acp,acp-prompt', 'no list');
    expect(await nvim.messages()).not.toMatch(/E\d+:|traceback/);
  });

  it('moves nothing into the window of the user when a part of the chat is chosen', async ({ start }) => {
    const nvim = await startWithDraft(start);
    const transcript = await nvim.lua<number>("return require('acp.chats').current().buf");
    await nvim.input(`:buffer ${transcript}<CR>`);
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'text,acp,acp-prompt', 'the chat');
    expect(await promptText(nvim)).toBe('one\ntwo');
  });

  it('is never lost nor in the chat, whatever is tried', { timeout: shortOrLong(60_000, 1_800_000) }, async ({
    start,
  }) => {
    const nvim = await startWithDraft(start);
    await nvim.lua(plugins);
    const steps = fc.array(
      fc.constantFrom(
        ...ways.map(([, keys]) => keys),
        '<C-^>',
        '<C-o>',
        '<C-i>',
        ':enew<CR>',
        ':terminal<CR>',
        ':help<CR>:close<CR>',
        ':bnext<CR>',
        ':bdelete<CR>',
        ':AcpChat<CR><Esc>',
        '<C-w>b',
        '<C-w>k',
        '<C-w>t',
        'ix<Esc>',
      ),
      { minLength: 2, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (chosen) => {
        await nvim.input('<C-\\><C-n>:AcpChat<CR><Esc>');
        for (const keys of chosen) await nvim.input(`<C-\\><C-n>${keys}<C-\\><C-n>`);
        // The picker closes its float later.
        const floats =
          "vim.iter(vim.api.nvim_list_wins()):any(function(win) return vim.api.nvim_win_get_config(win).relative ~= '' end)";
        await nvim.waitFor(
          async () => !(await nvim.lua<boolean>(`return ${floats}`)),
          'the end of the picker',
        );
        await nvim.input('<C-\\><C-n>:silent! only!<CR>:AcpChat<CR><Esc>');
        await nvim.waitFor(
          async () => {
            const shown = (await windows(nvim)).join();
            return /^(\w*,)*acp,acp-prompt(,\w*)*$/.test(shown) && shown.match(/acp/g)?.length === 2;
          },
          `the chat after ${chosen.join(' ')}`,
        );
        expect(await nvim.messages()).not.toMatch(/lua\/acp|traceback|E1513/);
      }),
      { numRuns: shortOrLong(25, 300), endOnFailure: true },
    );
  });
});
