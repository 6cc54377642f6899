import { describe, expect } from 'vitest';
import {
  converse,
  drawn,
  quickTour,
  startChat,
  transcript,
  waitForPhase,
  windows,
} from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

describe('the windows of a chat', () => {
  it('open beside the file, with the cursor in the prompt', async ({ start }) => {
    const nvim = await startChat(start);
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
    expect(await nvim.lua('return vim.bo.filetype')).toBe('acp-prompt');
  });

  it.for([
    ['shared', '', 1],
    ['taken from the window beside them with noequalalways', 'set noequalalways | ', 20],
  ] as const)(
    'leave the rest of the screen to the other windows, %s',
    async ([, option, most], { start }) => {
      const nvim = await start({ init: quickTour, columns: 160 });
      await nvim.attachHost();
      await nvim.command(`${option}vsplit | vsplit | AcpChat tour`);
      const widths = await nvim.lua<number[]>(`
      return vim.tbl_map(vim.api.nvim_win_get_width, vim.list_slice(vim.api.nvim_tabpage_list_wins(0), 1, 3))`);
      const difference = Math.max(...widths) - Math.min(...widths);
      if (most === 1) expect(difference).toBeLessThanOrEqual(most);
      else expect(difference).toBeGreaterThan(most);
      expect(await nvim.lua('return vim.api.nvim_win_get_width(0)')).toBe(67);
    },
  );

  it('open only once', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpChat');
    await nvim.command('AcpChat tour');
    await nvim.command('wincmd t | AcpChat');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
  });

  it('close and open with :AcpChat!, and keep the transcript', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello');
    const before = await transcript(nvim);
    await nvim.command('AcpChat!');
    expect(await windows(nvim)).toEqual(['']);
    await nvim.command('AcpChat!');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
    expect(await transcript(nvim)).toEqual(before);
  });

  it('leave the heights of the windows beside them alone when they open and close', async ({ start }) => {
    const nvim = await start({ init: quickTour, lines: 40 });
    await nvim.attachHost();
    const heights = () => nvim.lua<number[]>('return vim.tbl_map(vim.fn.winheight, { 1, 2, 3 })');
    await nvim.command('split | split | resize 20');
    const before = await heights();
    await nvim.command('AcpChat tour');
    expect(await heights()).toEqual(before);
    await nvim.command('AcpChat!');
    expect(await heights()).toEqual(before);
    await nvim.command('AcpChat | AcpClose');
    await nvim.waitFor(async () => (await windows(nvim)).length === 3, 'the chat to close');
    expect(await heights()).toEqual(before);
  });

  it('show the same chat on another tab page', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello');
    await nvim.command('tabnew | AcpChat');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
    await converse(nvim, 'hello again');
    await nvim.waitForScreen('hello again');
    await nvim.command('tabprevious');
    await nvim.waitForScreen('hello again');
  });

  it('can be reopened after :only', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('wincmd t | only | AcpChat');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
  });

  it('reopen the transcript above a prompt that stayed open', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('only | AcpChat');
    expect(await windows(nvim)).toEqual(['acp', 'acp-prompt']);
    expect(await nvim.lua('return vim.fn.winlayout()[1]')).toBe('col');
    expect(await nvim.lua('return vim.fn.winheight(0)')).toBe(2);
    expect(await nvim.lua('return vim.o.cmdheight')).toBe(1);
  });

  it('stay both when :only is used in the prompt, and give the file back when they close', async ({
    start,
  }) => {
    const nvim = await startChat(start, { files: { 'a.txt': 'text of a' } });
    await nvim.command('wincmd t | edit a.txt | wincmd b');
    await nvim.input('<C-w>o');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'acp,acp-prompt', 'the chat alone');
    expect(await nvim.lua('return { vim.bo.filetype, vim.fn.winheight(0) }')).toEqual(['acp-prompt', 2]);
    await nvim.command('AcpChat!');
    await nvim.waitForScreen('text of a');
    expect(await windows(nvim)).toEqual(['text']);
    await nvim.command('AcpChat!');
    expect(await windows(nvim)).toEqual(['text', 'acp', 'acp-prompt']);
  });

  it('stay on their tab page when :only is used in the prompt', async ({ start }) => {
    const nvim = await startChat(start, { files: { 'a.txt': 'text of a' } });
    await nvim.command('tabnew a.txt | AcpChat');
    await nvim.input('<Esc><C-w>o');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'acp,acp-prompt', 'the chat alone');
    expect(await nvim.lua('return vim.fn.tabpagenr()')).toBe(2);
  });

  it('open with a new prompt on another tab page after :bwipeout of the prompt', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('bwipeout! | wincmd b | tab split');
    await nvim.waitFor(
      async () => String(await windows(nvim)) === 'acp,acp-prompt',
      'both windows on the tab page',
    );
  });

  it('close their tab page when the transcript is closed there', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('tabnew | AcpChat');
    await nvim.input('<Esc><C-w>o');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'acp,acp-prompt', 'the chat alone');
    await nvim.command('wincmd k | quit');
    await nvim.waitFor(async () => (await nvim.lua("return vim.fn.tabpagenr('$')")) === 1, 'the tab page');
  });

  it('have no winbar above the prompt', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('wincmd k | only | AcpChat');
    expect(await windows(nvim)).toEqual(['acp', 'acp-prompt']);
    expect(await nvim.lua('return { vim.bo.filetype, vim.wo.winbar }')).toEqual(['acp-prompt', '']);
  });

  it('keep the last line of a question visible when lines above it wrap', async ({ start }) => {
    const nvim = await startChat(start, { columns: 80, lines: 24 });
    await nvim.command('AcpSend tour');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'a question');
    await drawn(nvim);
    await nvim.waitForScreen('answer with ');
  });

  it('have the same heights after a window below them was closed', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'markdown');
    const before = nvim.screen.text();
    await nvim.command('botright 12new');
    await nvim.command('close');
    await nvim.command('wincmd b');
    await nvim.waitFor(() => nvim.screen.text() === before, 'the same screen');
  });

  it('show the transcript again after its buffer was wiped', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'markdown');
    const before = await transcript(nvim);
    await nvim.lua("vim.cmd.bwipeout({ require('acp.chats').current().buf, bang = true })");
    await nvim.waitFor(async () => (await windows(nvim)).length === 1, 'the prompt to close too');
    await nvim.command('AcpChat');
    await nvim.waitFor(async () => (await transcript(nvim)).join() === before.join(), 'the same transcript');
  });

  it('get a new prompt after it was wiped', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.lua("vim.cmd.bwipeout({ require('acp.chats').current().prompt, bang = true })");
    await nvim.command('AcpChat');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
  });

  it('close the prompt with the transcript, but not the transcript with the prompt', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('quit');
    expect(await windows(nvim)).toEqual(['', 'acp']);
    await nvim.command('AcpChat');
    await nvim.lua("vim.api.nvim_win_close(vim.fn.bufwinid(require('acp.chats').current().buf), true)");
    await nvim.waitFor(async () => (await windows(nvim)).length === 1, 'the prompt to close');
  });

  it('stay usable on a screen that became small', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.resize(50, 12);
    await nvim.resize(100, 30);
    await converse(nvim, 'hello');
    await nvim.waitForScreen('Tour');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
  });

  it.for(['right', 'left', 'top', 'bottom'] as const)('open at the %s', async (position, { start }) => {
    const nvim = await startChat(start, { config: `{ position = '${position}', size = 0.5 }` });
    const place = await nvim.lua<{ row: number; col: number; width: number; height: number }>(`
      local win = vim.fn.bufwinid(require('acp.chats').current().buf)
      local row, col = unpack(vim.api.nvim_win_get_position(win))
      return { row = row, col = col, width = vim.api.nvim_win_get_width(win), height = vim.api.nvim_win_get_height(win) }`);
    const isBeside = position === 'right' || position === 'left';
    expect(place.width).toBe(isBeside ? 50 : 100);
    expect(place.col > 0).toBe(position === 'right');
    expect(place.row > 5).toBe(position === 'bottom');
  });

  it('show none of what the user has in windows with code', async ({ start }) => {
    const nvim = await startChat(start, {
      init: `
        for _, name in ipairs({ 'list', 'spell', 'cursorline', 'relativenumber' }) do vim.o[name] = true end
        vim.o.signcolumn, vim.o.foldcolumn, vim.o.colorcolumn, vim.o.wrap = 'yes', '2', '80', false`,
    });
    const looks = await nvim.lua<unknown[]>(`
      local chat = require('acp.chats').current()
      return vim.tbl_map(function(buf)
        local own = vim.wo[vim.fn.bufwinid(buf)]
        return { own.list, own.spell, own.cursorline, own.relativenumber, own.wrap, own.signcolumn, own.foldcolumn,
          own.colorcolumn }
      end, { chat.buf, chat.prompt })`);
    const look = [false, false, false, false, true, 'no', '0', ''];
    expect(looks).toEqual([look, look]);
  });

  it('change no global option and map nothing globally', async ({ start }) => {
    const facts = `
      local options = {}
      for name, info in pairs(vim.api.nvim_get_all_options_info()) do
        local ok, value = pcall(vim.api.nvim_get_option_value, name, { scope = 'global' })
        if ok and info.scope == 'global' then options[name] = value end
      end
      local maps = {}
      for _, mode in ipairs({ 'n', 'i', 'x', 'c', 't' }) do
        for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do maps[#maps + 1] = mode .. map.lhs end
      end
      return { options, maps }`;
    const nvim = await start();
    const before = await nvim.lua(facts);
    await nvim.attachHost();
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    expect(await nvim.lua(facts)).toEqual(before);
  });
});

describe('the size of a chat', () => {
  const width = (nvim: TestNvim) =>
    nvim.lua<number>(
      "return vim.api.nvim_win_get_width(vim.fn.bufwinid(require('acp.chats').current().buf))",
    );
  const waitForWidth = (nvim: TestNvim, expected: number) =>
    nvim.waitFor(async () => (await width(nvim)) === expected, `${expected} columns`);
  const config = '{ size = 0.5 }';

  it('is a share of the screen, also after that was resized', async ({ start }) => {
    const nvim = await startChat(start, { config });
    expect(await width(nvim)).toBe(50);
    for (const [columns, expected] of [
      [160, 80],
      [80, 40],
      [62, 31],
      [120, 60],
    ] as const) {
      await nvim.resize(columns, 30);
      await waitForWidth(nvim, expected);
    }
  });

  it('is what the user made it, if they changed it', async ({ start }) => {
    const nvim = await startChat(start, { config });
    await nvim.command('vertical resize 36');
    await nvim.resize(160, 30);
    await nvim.waitFor(async () => (await nvim.lua('return vim.o.columns')) === 160, 'the screen');
    await drawn(nvim);
    expect(await width(nvim)).not.toBe(80);
    await nvim.command('AcpChat! | AcpChat!');
    expect(await width(nvim)).toBe(80);
  });

  it('is applied to another tab page when it is entered', async ({ start }) => {
    const nvim = await startChat(start, { config });
    await nvim.command('tabnew');
    await nvim.resize(160, 30);
    await nvim.waitFor(async () => (await nvim.lua('return vim.o.columns')) === 160, 'the screen');
    await nvim.command('tabprevious');
    await waitForWidth(nvim, 80);
  });

  it('is a share of the height at the bottom, with the prompt', async ({ start }) => {
    const nvim = await startChat(start, { config: "{ size = 0.5, position = 'bottom' }", lines: 30 });
    const height = () =>
      nvim.lua<number>(`
        local chat = require('acp.chats').current()
        return vim.fn.winheight(vim.fn.bufwinid(chat.buf)) + vim.fn.winheight(vim.fn.bufwinid(chat.prompt)) + 1`);
    const before = await height();
    await nvim.input('ione<CR>two<CR>three<CR>four<Esc>');
    await nvim.resize(100, 60);
    await nvim.waitFor(async () => Math.abs((await height()) - 2 * before) <= 2, 'twice the height');
    expect(await nvim.lua('return vim.o.cmdheight')).toBe(1);
  });
});

describe('the command line', () => {
  const height = (nvim: TestNvim) => nvim.lua<number>('return vim.o.cmdheight');

  it.for([
    ['<C-w>o in the prompt, then typing', '<C-w>oione<CR>two<CR>three<Esc>'],
    ['the prompt in a tab page of its own', '<C-w>Tione<CR>two<CR>three<Esc>'],
    [
      ':bd in the chat without another window, then :AcpChat',
      '<C-w>k<C-w>o:bd<CR>:AcpChat<CR><Esc>ione<CR>two<Esc>',
    ],
    [":only in the prompt with 'laststatus' 1", ':set laststatus=1<CR>:only<CR>'],
    [':AcpChat! and then :AcpPlan', ':AcpChat!<CR>:AcpPlan<CR>'],
    [':only in a file and then :AcpPlan', '<C-w>t:only<CR>:AcpPlan<CR>'],
    ['the prompt beside a file', '<C-w>k:q<CR>:vsplit<CR>:AcpChat<CR>ione<CR>two<Esc>'],
  ] as const)('keeps its height: %s', async ([, keys], { start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpSend plan');
    await waitForPhase(nvim, 'idle');
    await nvim.input(keys);
    await drawn(nvim);
    await nvim.input(':let g:typed = 1<CR>');
    await nvim.waitFor(() => nvim.lua<boolean>('return vim.g.typed == 1'), 'the keys');
    expect(await height(nvim)).toBe(1);
    expect(await nvim.messages()).not.toMatch(/E\d+:|stack traceback/);
  });
});

describe("'autochdir'", () => {
  it('makes the folder of the repository that of the session', async ({ start }) => {
    const nvim = await start({
      init: `${quickTour} vim.o.autochdir = true`,
      files: { '.git/HEAD': 'ref: refs/heads/main', 'src/deep/a.txt': 'text' },
      args: ['src/deep/a.txt'],
    });
    await nvim.attachHost();
    await nvim.command('AcpChat tour');
    await nvim.waitForScreen('Welcome');
    expect(await nvim.lua("return require('acp.chats').current().cwd")).toBe(nvim.sandbox.cwd);
    await nvim.input('<Esc><C-w>t');
    expect(await nvim.lua('return vim.fn.getcwd()')).toBe(`${nvim.sandbox.cwd}/src/deep`);
  });
});

describe('a terminal', () => {
  it('opens beside the chat and not in its windows', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input(':terminal<CR>');
    await nvim.waitFor(async () => (await windows(nvim)).join() === ',acp,acp-prompt', 'the chat');
    expect(await nvim.lua('return { vim.fn.winnr(), vim.bo.buftype }')).toEqual([1, 'terminal']);
    await nvim.command('AcpChat! | AcpChat!');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
    await nvim.command('wincmd t | bwipeout!');
    await nvim.waitFor(async () => (await windows(nvim)).includes('acp'), 'the chat');
    expect(await nvim.messages()).not.toMatch(/lua\/acp|traceback/);
  });
});

describe('a window that showed the chat', () => {
  it('has the options of the user again when it shows another buffer', async ({ start }) => {
    const nvim = await startChat(start, { init: 'vim.o.number = true vim.o.list = true' });
    await nvim.input('<C-w>k<C-w>o:bd<CR>');
    await nvim.waitFor(async () => (await windows(nvim)).join() === '', 'another buffer');
    const options =
      'return { vim.wo.number, vim.wo.list, vim.wo.winfixbuf, vim.wo.statuscolumn, vim.wo.winbar }';
    await nvim.waitFor(async () => (await nvim.lua<boolean[]>(options))[0], 'line numbers');
    expect(await nvim.lua(options)).toEqual([true, true, false, '', '']);
    await nvim.command('AcpChat');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
  });

  it('is emptied by the toggle when it is the last one', async ({ start }) => {
    const nvim = await startChat(start, { init: 'vim.o.number = true' });
    await nvim.input('<C-w>k<C-w>o');
    await nvim.command('AcpChat!');
    expect(await nvim.lua('return { vim.wo.number, vim.wo.winfixbuf, vim.wo.winbar }')).toEqual([
      true,
      false,
      '',
    ]);
  });
});

describe('a prompt window', () => {
  it('shows no buffer name in a global winbar, and has room for two lines below it', async ({ start }) => {
    const nvim = await startChat(start, { init: "vim.o.winbar = '%f'" });
    expect(nvim.screen.text().match(/prompt$/gm)).toHaveLength(1);
    const rows = 'local w = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1] return w.height';
    expect(await nvim.lua(rows)).toBe(2);
  });
});

describe('the statusline', () => {
  it.for([
    ['of Neovim names the agent instead of the buffer', '', ' tour · prompt'],
    ['of the user stays', "vim.o.statusline = 'mine %f'", 'mine acp://tour-1-prompt'],
  ])('%s', async ([, init, expected], { start }) => {
    const nvim = await startChat(start, { init });
    const shown = "return vim.api.nvim_eval_statusline(vim.wo.statusline, { winid = 0 }).str:gsub(' +$', '')";
    expect(await nvim.lua(shown)).toBe(expected);
  });

  it('of a window that shows another buffer is that of Neovim again', async ({ start }) => {
    const nvim = await startChat(start);
    const showOther = () =>
      nvim.lua(`
        require('acp.ui.windows.kept').release(vim.api.nvim_get_current_win())
        vim.cmd.enew()`);
    await showOther();
    expect(await nvim.lua('return vim.wo.statusline == vim.go.statusline')).toBe(true);
    await nvim.command('AcpChat | stopinsert | setglobal winbar=%f');
    await showOther();
    expect(await nvim.lua("return vim.api.nvim_get_option_value('winbar', { scope = 'local' })")).toBe('');
  });
});

describe("'cmdheight'", () => {
  it('stays when the list of sessions was the only window and another one opens', async ({ start }) => {
    const nvim = await start({ init: 'vim.o.laststatus = 1' });
    await nvim.attachHost();
    await nvim.command('AcpSessions panel | only | copen');
    await nvim.waitFor(async () => (await nvim.lua('return vim.o.cmdheight')) === 1, 'one line');
    await nvim.command('set cmdheight=2 | vnew | redraw');
    const height = await nvim.lua(`
      local is_over = false
      vim.schedule(function() is_over = true end)
      vim.wait(10000, function() return is_over end)
      return vim.o.cmdheight`);
    expect(height).toBe(2);
  });

  it('stays when :only leaves the chat and the user moves one of its windows', async ({ start }) => {
    const nvim = await startChat(start, { init: 'vim.o.laststatus = 1', lines: 16 });
    await nvim.command('only');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'acp,acp-prompt', 'the chat');
    await nvim.command('wincmd J');
    expect(await nvim.lua('return vim.o.cmdheight')).toBe(1);
  });
});

describe("Neovim's tabline", () => {
  it('names the agent, the number of the chat and what the window shows', async ({ start }) => {
    const nvim = await startChat(start, { init: 'vim.o.showtabline = 2' });
    await nvim.waitForScreen(/^.*tour-1-prompt/);
    await nvim.command('wincmd k');
    await nvim.waitForScreen(/tour-1$/m);
  });
});

describe('the command-line window', () => {
  const plugMaps = `
    vim.keymap.set('n', 'gc', '<Plug>(acp-chat)')
    vim.keymap.set('n', 'gt', '<Plug>(acp-toggle)')
    vim.keymap.set({ 'n', 'x' }, 'gs', '<Plug>(acp-send)')
    vim.keymap.set({ 'n', 'x' }, 'gk', '<Plug>(acp-ask)')`;
  const commands = [
    'AcpChat',
    'AcpChat!',
    'AcpNew',
    'AcpSend hi',
    'AcpPlan',
    'AcpLog',
    'AcpTraffic',
    'AcpRun ls',
    'Acp chat',
  ];
  it.for([...commands.map((command) => `:${command}<CR>`), 'gc', 'gt', 'gs_', 'Vgs', 'gk', 'Vgk'])(
    'gets one message from %s',
    async (keys, { start }) => {
      const nvim = await startChat(start, { columns: 120, init: plugMaps });
      await nvim.command('AcpChat!');
      await nvim.input('q:');
      await nvim.waitFor(() => nvim.lua<boolean>("return vim.fn.getcmdwintype() == ':'"), 'the window');
      const before = await windows(nvim);
      await nvim.input(keys);
      await nvim.waitForScreen('acp: not possible in the command-line window');
      expect(await nvim.messages()).not.toMatch(/E11:|traceback/);
      expect(await windows(nvim)).toEqual(before);
    },
  );
});
