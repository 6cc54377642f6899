import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { type ProgrammableChat, startEditingChat } from '../support/agents/programmable-chat.ts';
import { drawn, promptText, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { changed, files, ten, text } from '../support/nvim/review-files.ts';
import { screenSnapshot } from '../support/nvim/snapshot.ts';
import { recordNotifications } from '../support/nvim/user.ts';
import { hasGit } from '../support/system/git.ts';

/** The line under the cursor in the window of the file. */
const cursorLine = ({ nvim }: ProgrammableChat) =>
  nvim.lua<string>(`
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if vim.bo[vim.api.nvim_win_get_buf(win)].buftype == '' then
        local row = vim.api.nvim_win_get_cursor(win)[1]
        return vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))) .. ':' .. row
      end
    end
    return ''`);

const waitForCursor = (chat: ProgrammableChat, place: string) =>
  chat.nvim.waitFor(async () => (await cursorLine(chat)) === place, `the cursor at ${place}`);

describe.skipIf(!hasGit)('the review', () => {
  it('goes from hunk to hunk across files', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(
      ['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
    );
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    for (const [key, place] of [
      [']h', 'a.txt:9'],
      [']h', 'b.txt:5'],
      [']h', 'a.txt:2'],
      ['[h', 'b.txt:5'],
      ['[h', 'a.txt:9'],
      ['2]h', 'a.txt:2'],
      ['2[h', 'a.txt:9'],
      ['5[h', 'b.txt:5'],
    ] as const) {
      await chat.nvim.input(key);
      await waitForCursor(chat, place);
    }
  });

  it('shows its list from the heading on after :edit! in it, and after a second :AcpReview', async ({
    start,
  }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'])], ['disk', 'b.txt', changed([5, 'FIVE'])]);
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    const list = () =>
      chat.nvim.lua(`
        local win = vim.fn.bufwinid(require('acp.chats').current().review)
        local rows = { vim.fn.line('.', win), vim.fn.line('w0', win) }
        return { rows, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false) }`);
    await drawn(chat.nvim);
    const before = await list();
    await chat.nvim.lua(
      "vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chats').current().review))",
    );
    await chat.nvim.command('edit!');
    await drawn(chat.nvim);
    expect(await list()).toEqual(before);
    await chat.nvim.input(']h');
    await waitForCursor(chat, 'b.txt:5');
    await chat.nvim.command('AcpReview');
    await waitForCursor(chat, 'a.txt:2');
    await drawn(chat.nvim);
    expect(await list()).toEqual(before);
  });

  it('shows a file that is opened from its list in the window of the file', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'])]);
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    const shown = () =>
      chat.nvim.lua<string[]>(`
        return vim.tbl_map(function(win)
          return vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)))
        end, vim.api.nvim_tabpage_list_wins(0))`);
    const before = await shown();
    await chat.nvim.lua(
      "vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chats').current().review))",
    );
    await chat.nvim.command('edit b.txt');
    const expected = before.map((name) => (name === 'a.txt' ? 'b.txt' : name));
    await chat.nvim.waitFor(async () => (await shown()).join() === expected.join(), 'the file');
    expect(await chat.nvim.lua('return vim.wo.diff')).toBe(false);
    await chat.nvim.command('AcpReview');
    await waitForCursor(chat, 'a.txt:2');
    expect(await shown()).toEqual(before);
  });

  it('shows the keys to move, keep and reject, and the mark of a hunk, in a narrow window', async ({
    start,
  }) => {
    const chat = await startEditingChat(start, { files, columns: 60 });
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'.padEnd(80, '!')])]);
    await chat.review();
    await chat.nvim.waitForScreen(']h [h next hunk · a A keep · x X reject · q close ──');
    await chat.nvim.command('set columns=42');
    await chat.nvim.waitForScreen('a A keep · x X reject · q close ──');
    await chat.nvim.command('set columns=60');
    await chat.nvim.waitForScreen(/TWO!+ ?◂ 1\/1/);
  });

  it('gives what a file was the colours that the file has', async ({ start }) => {
    const init = `
      vim.cmd('filetype plugin on | syntax on')
      vim.api.nvim_create_autocmd('FileType', { pattern = 'lua', callback = function(event)
        vim.treesitter.start(event.buf, 'lua')
      end })`;
    const code = { 'a.lua': 'local a = 1\n', 'b.sh': 'a=1\n' };
    const chat = await startEditingChat(start, { files: code, init });
    await chat.run(['disk', 'a.lua', 'local a = 2\n'], ['disk', 'b.sh', 'a=2\n']);
    await chat.review();
    const before = () =>
      chat.nvim.lua<[string, string, boolean]>(`
        for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
          local buf = vim.api.nvim_win_get_buf(win)
          if vim.api.nvim_buf_get_name(buf):find('before') then
            local line = vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1]
            return { line, vim.bo[buf].syntax, vim.treesitter.highlighter.active[buf] ~= nil }
          end
        end`);
    await waitForCursor(chat, 'a.lua:1');
    expect(await before()).toEqual(['local a = 1', '', true]);
    await chat.nvim.input(']h');
    await waitForCursor(chat, 'b.sh:1');
    expect(await before()).toEqual(['a=1', 'sh', false]);
  });

  it('gives what a deleted file was the colours of its language', async ({ start }) => {
    const chat = await startEditingChat(start, { files: { 'a.css': 'a {}\n' } });
    await chat.run(['sh', 'rm a.css']);
    await chat.review();
    await chat.nvim.waitForScreen(/a\.css +-1/);
    const syntax = () =>
      chat.nvim.lua<string>(`
        return vim.iter(vim.api.nvim_list_bufs()):map(function(buf)
          return vim.api.nvim_buf_get_name(buf):find('before') and vim.bo[buf].syntax or ''
        end):join('')`);
    await chat.nvim.waitFor(async () => (await syntax()) === 'css', 'the syntax');
  });

  it('gives lines that were removed their colours inline too, on a background', async ({ start }) => {
    const code = { 'a.lua': "local a = 'one'\nlocal b = 2\n" };
    const chat = await startEditingChat(start, { files: code, config: "{ review = 'inline' }" });
    await chat.run(['disk', 'a.lua', 'local b = 2\n']);
    await chat.review();
    await waitForCursor(chat, 'a.lua:1');
    const { screen } = chat.nvim;
    const styleOf = (text: string) => {
      const row = screen.lines().findIndex((line) => line.includes("local a = 'one'"));
      return row === -1 ? undefined : screen.cell(row, screen.lines()[row]!.indexOf(text));
    };
    await chat.nvim.waitFor(() => {
      const [keyword, string] = [styleOf('local'), styleOf("'one'")];
      return keyword?.bg !== screen.background.bg && keyword?.fg !== string?.fg && keyword?.bg === string?.bg;
    }, 'the colours of Lua');
  });

  it('keeps and rejects single hunks, and undoes that', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['sh', 'sed -i -e "s/line 2/TWO/" -e "s/line 6/SIX/" -e "s/line 9/NINE/" a.txt']);
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    await chat.nvim.input('x');
    await chat.waitForDisk('a.txt', changed([6, 'SIX'], [9, 'NINE']));
    await waitForCursor(chat, 'a.txt:6');
    await chat.nvim.input('a');
    await chat.waitForList('› ○ a.txt  +1  -1');
    await waitForCursor(chat, 'a.txt:9');
    await chat.nvim.input('x');
    await chat.waitForList('› ✓ a.txt  partly kept');
    expect(chat.onDisk('a.txt')).toBe(changed([6, 'SIX']));
    await chat.nvim.input('u');
    await chat.waitForDisk('a.txt', changed([6, 'SIX'], [9, 'NINE']));
    await chat.nvim.input('u');
    await chat.waitForList('› ○ a.txt  +2  -2  2 hunks');
    await chat.nvim.input('u');
    await chat.waitForDisk('a.txt', changed([2, 'TWO'], [6, 'SIX'], [9, 'NINE']));
    await waitForCursor(chat, 'a.txt:2');
  });

  it('keeps a file or all files, and undoes that', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(
      ['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
      ['sh', 'rm sub/c.txt'],
    );
    const open = ['○ a.txt  +2  -2  2 hunks', '○ b.txt  +1  -1', '○ sub/c.txt  -1  deleted'];
    await chat.review();
    await chat.waitForList(`› ${open[0]}`, open[1]!, open[2]!);
    await chat.nvim.input('A');
    await chat.waitForList('✓ a.txt  kept', `› ${open[1]}`, open[2]!);
    await chat.nvim.input('gA');
    await chat.waitForList('✓ a.txt  kept', /✓ b\.txt/, /✓ sub\/c\.txt/);
    expect((await chat.list())[0]).toContain('3 files, all reviewed');
    await chat.nvim.input('uu');
    await chat.waitForList(`› ${open[0]}`, open[1]!, open[2]!);
    expect(chat.onDisk('a.txt')).toBe(changed([2, 'TWO'], [9, 'NINE']));
  });

  it.for(['x', 'X'])(
    'shows a new file again when its rejection with %s is undone',
    async (key, { start }) => {
      const chat = await startEditingChat(start, { files });
      await chat.run(['disk', 'sub/new.txt', 'fresh text\n']);
      await chat.review();
      await chat.waitForList('› ○ sub/new.txt  +1  new');
      await chat.nvim.waitForScreen('fresh text');
      await chat.nvim.input(key);
      await chat.nvim.waitFor(() => chat.onDisk('sub/new.txt') === undefined, 'no file');
      await chat.nvim.waitForScreen((screen) => !screen.includes('fresh text'));
      await chat.nvim.input('u');
      await chat.waitForDisk('sub/new.txt', 'fresh text\n');
      await chat.waitForList('› ○ sub/new.txt  +1  new');
      await chat.nvim.waitForScreen('fresh text');
      await chat.nvim.waitForScreen('fresh text ◂ 1/1');
    },
  );

  it('uses the diff options of the user without changing them', async ({ start }) => {
    const init = "vim.o.diffopt = 'internal,filler,context:1,iwhite'";
    const chat = await startEditingChat(start, { files, init });
    await chat.run(['disk', 'a.txt', changed([5, 'line  5'], [9, 'NINE'])]);
    await chat.review();
    await waitForCursor(chat, 'a.txt:5');
    await chat.nvim.input(']h');
    await waitForCursor(chat, 'a.txt:9');
    await chat.nvim.waitForScreen(/\+-- {2}7 lines: line 1/);
    expect(await chat.nvim.lua('return vim.o.diffopt')).toBe('internal,filler,context:1,iwhite');
  });

  it('treats a hunk as decided that the user reverts by hand', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['sh', 'sed -i -e "2,3d" -e "s/line 9/NINE/" a.txt']);
    await chat.review();
    await chat.waitForList('› ○ a.txt  +1  -3  2 hunks');
    await chat.nvim.command('wincmd b');
    await chat.nvim.input('2Gdo');
    await chat.waitForList('› ○ a.txt  +1  -1');
    await chat.nvim.input('\\X');
    await chat.waitForDisk('a.txt', text(ten));
  });

  it('acts on the file that is shown, also from the list, until another is selected there', async ({
    start,
  }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(
      ['disk', 'a.txt', changed([2, 'TWO'])],
      ['disk', 'b.txt', changed([5, 'FIVE'], [9, 'NINE'])],
      ['disk', 'sub/c.txt', 'C\n'],
    );
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    await chat.nvim.input(']h');
    await waitForCursor(chat, 'b.txt:5');
    await chat.nvim.waitForScreen('FIVE ◂ 1/2');
    await chat.nvim.input('X');
    await chat.waitForDisk('b.txt', text(ten));
    expect(chat.onDisk('a.txt')).toBe(changed([2, 'TWO']));
    await waitForCursor(chat, 'c.txt:1');
    await chat.nvim.input('ggjX');
    await chat.waitForDisk('a.txt', text(ten));
    expect(chat.onDisk('sub/c.txt')).toBe('C\n');
  });

  it.for([
    ['another file is shown in its window', ':edit sub/c.txt<CR>'],
    ['its window is closed', ':quit<CR>'],
  ])('shows a file again before it decides on a hunk: %s', async ([, keys], { start }) => {
    const chat = await startEditingChat(start, { files, init: recordNotifications });
    const { nvim } = chat;
    await chat.run(
      ['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
    );
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    const leave = async () => {
      await nvim.input(`<C-w>b${keys}<C-w>t`);
      await nvim.waitFor(async () => !(await cursorLine(chat)).startsWith('a.txt'), 'a.txt to be left');
    };
    await leave();
    await nvim.input('x');
    await waitForCursor(chat, 'a.txt:2');
    expect(chat.onDisk('a.txt')).toBe(changed([2, 'TWO'], [9, 'NINE']));
    expect(await nvim.lua('return _G.said')).toContain('acp: nothing was decided: the hunk was not shown');
    await nvim.waitForScreen('TWO ◂ 1/2');
    await leave();
    await nvim.input(']h');
    await waitForCursor(chat, 'a.txt:9');
    await nvim.input('x');
    await chat.waitForDisk('a.txt', changed([2, 'TWO']));
  });

  it('compares a file that is shown again only with its own text of before', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    const { nvim } = chat;
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'])], ['disk', 'b.txt', changed([5, 'FIVE'])]);
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    const isDiff = () => nvim.lua('return { vim.fn.expand("%:t"), vim.wo.diff }');
    await nvim.input('<C-w>b:edit sub/c.txt<CR><C-w>t');
    await waitForCursor(chat, 'c.txt:1');
    await nvim.input('<CR>');
    await waitForCursor(chat, 'a.txt:2');
    await nvim.input('<C-w>b:edit sub/c.txt<CR>');
    await waitForCursor(chat, 'c.txt:1');
    await nvim.input('<C-^>');
    await waitForCursor(chat, 'a.txt:2');
    expect(await isDiff()).toEqual(['a.txt', true]);
    await nvim.input(':edit sub/c.txt<CR><C-w>t]h');
    await waitForCursor(chat, 'b.txt:5');
    await nvim.input('<C-w>b:edit a.txt<CR>');
    await waitForCursor(chat, 'a.txt:2');
    expect(await isDiff()).toEqual(['a.txt', false]);
  });

  it('handles keys that are typed ahead', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(
      ['sh', 'sed -i -e "s/line 2/TWO/" -e "s/line 6/SIX/" -e "s/line 9/NINE/" a.txt'],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
    );
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    await chat.nvim.input('aaux');
    await chat.waitForDisk('a.txt', changed([2, 'TWO'], [9, 'NINE']));
    await waitForCursor(chat, 'a.txt:9');
    await chat.nvim.input(']h]h]hx');
    await chat.waitForDisk('b.txt', text(ten));
    expect(chat.onDisk('a.txt')).toBe(changed([2, 'TWO'], [9, 'NINE']));
  });

  it('keeps text that the user types while it is open', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['sh', 'sed -i -e "s/line 5/FIVE/" -e "s/line 9/NINE/" a.txt']);
    await chat.review();
    await waitForCursor(chat, 'a.txt:5');
    await chat.nvim.command('wincmd b');
    await chat.nvim.input('ggOmine<Esc>7Gomine too<Esc>6G');
    await chat.nvim.input('\\x');
    await chat.waitForDisk(
      'a.txt',
      text(['mine', ...ten.slice(0, 6), 'mine too', ...ten.slice(6, 8), 'NINE', 'line 10']),
    );
    expect(await chat.buffer('a.txt')).toEqual(chat.onDisk('a.txt')?.trim().split('\n'));
    await chat.nvim.command('wincmd t');
    await chat.nvim.input('X');
    await chat.waitForDisk('a.txt', text(['mine', ...ten.slice(0, 6), 'mine too', ...ten.slice(6)]));
  });

  it('stays correct while the agent continues to write', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.begin(
      ['disk', 'a.txt', changed([5, 'FIVE'])],
      ['wait', 'go'],
      ['disk', 'a.txt', text(['new', ...ten.slice(0, 4), 'FIVE', ...ten.slice(5)])],
      ['wait', 'stop'],
    );
    await chat.nvim.waitFor(() => chat.onDisk('a.txt')?.includes('FIVE'), 'the first write');
    await chat.review();
    await chat.waitForList('› ○ a.txt  +1  -1');
    fs.writeFileSync(chat.at('go'), '');
    await chat.waitForList('› ○ a.txt  +2  -1  2 hunks', /go/);
    await waitForCursor(chat, 'a.txt:6');
    await chat.nvim.input('x');
    await chat.waitForDisk('a.txt', text(['new', ...ten]));
    fs.writeFileSync(chat.at('stop'), '');
    await waitForPhase(chat.nvim, 'idle');
  });

  it('closes with q and leaves no window, mapping or mark', async ({ start }) => {
    const chat = await startEditingChat(start, { files, config: "{ review = 'inline' }" });
    await chat.nvim.command('wincmd t | edit a.txt');
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'])]);
    const state = `
      local buf = vim.fn.bufnr('a.txt')
      return {
        #vim.api.nvim_list_tabpages(), #vim.api.nvim_list_wins(), vim.wo.diff,
        #vim.api.nvim_buf_get_keymap(buf, 'n'), #vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, {}),
      }`;
    const before = await chat.nvim.lua(state);
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    expect(await chat.nvim.lua(state)).not.toEqual(before);
    await chat.nvim.input('q');
    await chat.nvim.waitFor(
      async () => JSON.stringify(await chat.nvim.lua(state)) === JSON.stringify(before),
      'nothing to be left',
    );
  });

  it('begins with the file that :AcpReview names, with typed completion', async ({ start }) => {
    const others = { 'my file.txt': text(ten), 'src/c.txt': text(ten) };
    const chat = await startEditingChat(start, { files: { ...files, ...others } });
    await chat.run(
      ['disk', 'a.txt', changed([2, 'TWO'])],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
      ['disk', 'my file.txt', changed([6, 'SIX'])],
      ['disk', 'src/c.txt', changed([7, 'SEVEN'])],
    );
    const { nvim } = chat;
    const isClosed = () => nvim.lua<boolean>('return #vim.api.nvim_list_tabpages() == 1');
    for (const [typed, place] of [
      ['b.txt', 'b.txt:5'],
      ['sr<Tab>', 'c.txt:7'],
      ['SRC/C<Tab>', 'c.txt:7'],
      ['my <Tab>', 'my file.txt:6'],
    ] as const) {
      await nvim.input(`:AcpReview ${typed}<CR>`);
      await waitForCursor(chat, place);
      await nvim.input('q');
      await nvim.waitFor(isClosed, 'the review to close');
    }
    await nvim.input('<C-w>t:edit b.txt<CR>:AcpReview %<CR>');
    await nvim.waitForScreen('› ○ b.txt');
    await nvim.input('q');
    await nvim.waitFor(isClosed, 'the review to close');
    await nvim.input(':AcpReview none.txt<CR>');
    await nvim.waitForScreen('there are no changes to review in none.txt');
    expect(await nvim.lua("return vim.fn.getcompletion('AcpReview ', 'cmdline')")).toEqual([
      'session',
      'turn',
      'quickfix',
      'tell',
      'a.txt',
      'b.txt',
      'my file.txt',
      'src/c.txt',
    ]);
  });

  it('fills the quickfix list with every hunk', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['sh', 'sed -i -e "s/line 2/TWO/" -e "/line 9/d" a.txt; echo new > b.txt']);
    await chat.nvim.command('AcpReview quickfix');
    const list = () =>
      chat.nvim.lua<string[]>(`
        return vim.tbl_map(function(item)
          return vim.fs.basename(vim.fn.bufname(item.bufnr)) .. ':' .. item.lnum .. ' ' .. item.text
        end, vim.fn.getqflist())`);
    await chat.nvim.waitFor(async () => (await list()).length > 0, 'the list');
    expect(await list()).toEqual(['a.txt:2 +1 -1 TWO', 'a.txt:9 -1 line 9', 'b.txt:1 +1 -10 new']);
  });

  it('fills the quickfix list with hunks of the session, also after a review of the last turn', async ({
    start,
  }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['sh', 'sed -i "s/line 2/TWO/" a.txt']);
    await chat.run(['sh', 'sed -i "s/line 2/TWO/" b.txt']);
    await chat.nvim.command('AcpReview turn');
    await waitForCursor(chat, 'b.txt:2');
    await chat.nvim.input('q');
    await chat.nvim.waitFor(() => chat.nvim.lua('return #vim.api.nvim_list_tabpages() == 1'), 'one tab page');
    await chat.nvim.command('AcpReview quickfix');
    const count = () => chat.nvim.lua<number>('return #vim.fn.getqflist()');
    await chat.nvim.waitFor(async () => (await count()) > 0, 'the list');
    expect(await count()).toBe(2);
  });

  it('puts the rejected hunks into the prompt', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'])]);
    await chat.review();
    await chat.nvim.input('x');
    await chat.waitForDisk('a.txt', text(ten));
    await chat.nvim.command('tabfirst | AcpReview tell');
    await chat.nvim.waitFor(async () => (await promptText(chat.nvim)) !== '', 'the prompt');
    expect(await promptText(chat.nvim)).toBe(
      'I rejected these changes; in the files they are reverted:\n\na.txt:2\n```diff\n-line 2\n+TWO\n```\n',
    );
  });

  it('asks before it restores a file outside of the workspace', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    fs.writeFileSync(chat.at('../outside.txt'), 'one\n');
    await chat.run(['disk', '../outside.txt', 'two\n'], ['disk', 'a.txt', changed([2, 'TWO'])]);
    await chat.nvim.lua(`
      vim.ui.select = function(items, options, done)
        _G.asked = options.prompt
        done(items[1])
      end`);
    await chat.review();
    await chat.nvim.input('gX');
    await chat.waitForDisk('a.txt', text(ten));
    await chat.waitForDisk('../outside.txt', 'one\n');
    expect(await chat.nvim.lua('return _G.asked')).toBe(
      `Outside the folders of the session: ${fs.realpathSync(chat.at('../outside.txt'))}`,
    );
  });

  it('names files that could not be read', async ({ start }) => {
    const chat = await startEditingChat(start, { files, isRepository: false });
    fs.writeFileSync(chat.at('big'), Buffer.alloc(6 * 1024 * 1024));
    await chat.run(['sh', 'echo more >> big']);
    await chat.review();
    await chat.waitForList(
      '',
      'Not tracked, so changes here are not listed:',
      /^big {2}was changed; it is too large to be kept/,
    );
  });

  it('remembers decisions after a restart of the host', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(
      ['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
    );
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    await chat.nvim.input('a');
    await chat.waitForList('› ○ a.txt  +1  -1', /b\.txt/);
    await chat.nvim.input('q');
    await chat.nvim.attachHost();
    await chat.nvim.lua("require('acp.recovery').on_host_exit('it is replaced', true)");
    await waitForPhase(chat.nvim, 'idle');
    await chat.review();
    await chat.waitForList('› ○ a.txt  +1  -1', '○ b.txt  +1  -1');
    await chat.nvim.input('gX');
    await chat.waitForDisk('a.txt', changed([2, 'TWO']));
    await chat.waitForDisk('b.txt', text(ten));
  });

  it('remembers decisions when the session is reopened', async ({ start }) => {
    const init = `
      vim.ui.select = function(items, options, done)
        for index, item in ipairs(items) do
          if options.format_item(item):find('disk') then return done(item, index) end
        end
      end`;
    const chat = await startEditingChat(start, { files, init });
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])]);
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    await chat.nvim.input('a');
    await chat.waitForList('› ○ a.txt  +1  -1');
    await chat.nvim.command('AcpClose');
    await chat.nvim.waitFor(() => chat.nvim.lua("return require('acp.chats').current() == nil"), 'no chat');
    await chat.nvim.lua("require('acp.agents').remember('tester')");
    await chat.nvim.command('AcpSessions');
    await chat.nvim.waitFor(() => chat.nvim.lua("return require('acp.chats').current() ~= nil"), 'a chat');
    await waitForPhase(chat.nvim, 'idle');
    await chat.review();
    await chat.waitForList('› ○ a.txt  +1  -1');
    await chat.nvim.input('X');
    await chat.waitForDisk('a.txt', changed([2, 'TWO']));
  });

  it('keeps both sides aligned, however far down the hunk is', async ({ start }) => {
    const long = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`);
    const chat = await startEditingChat(start, { files: { 'a.txt': text(long) } });
    const now = long.map((line) => (line === 'line 250' ? 'CHANGED' : line));
    await chat.run(['disk', 'a.txt', text(['new', 'lines', ...now])]);
    await chat.review();
    await chat.nvim.input(']h');
    await waitForCursor(chat, 'a.txt:252');
    await chat.nvim.waitForScreen(/line 250 +│ +CHANGED/);
    expect(chat.nvim.screen.text()).toMatch(/line 244 +│ +line 244/);
  });

  it('shows lines that were removed above the first line', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['disk', 'a.txt', text(ten.slice(3))]);
    await chat.review();
    await waitForCursor(chat, 'a.txt:1');
    await chat.nvim.waitForScreen(/line 1 +│ +-{9}/);
    await chat.nvim.waitForScreen(/line 4 +│ +line 4/);
  });

  it('shows removed lines inline too, and all lines of a deleted file', async ({ start }) => {
    const chat = await startEditingChat(start, { files, config: "{ review = 'inline' }" });
    await chat.run(['disk', 'a.txt', text(ten.slice(3))], ['sh', 'rm b.txt']);
    await chat.review();
    await waitForCursor(chat, 'a.txt:1');
    await chat.nvim.waitForScreen(/line 3 *\n *line 4 ◂/);
    await chat.nvim.input(']h');
    await chat.nvim.waitForScreen(/› ○ b\.txt/);
    await chat.nvim.waitForScreen(/line 1 *\n *line 2/);
  });

  it.for(['q', ':bwipeout!<CR>'])('leaves folding in the file as it was: %s', async (keys, { start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'])]);
    await chat.review();
    await waitForCursor(chat, 'a.txt:2');
    await chat.nvim.input(keys);
    await chat.nvim.waitFor(async () => (await chat.list()).length === 0, 'the end of the review');
    await chat.nvim.command('tabfirst | wincmd t | edit a.txt');
    const folding = await chat.nvim.lua<unknown[]>(`
      return vim.tbl_map(function(win)
        return { vim.wo[win].foldenable, vim.fn.win_execute(win, 'echon foldlevel(9)') }
      end, vim.fn.win_findbuf(vim.fn.bufnr('a.txt')))`);
    expect(folding).toEqual(
      keys === 'q'
        ? [[true, '0']]
        : [
            [true, '0'],
            [true, '0'],
          ],
    );
  });

  it.for(['q', ':tabclose<CR>'])(
    'returns to the window it was opened from, without its title: %s',
    async (keys, { start }) => {
      const chat = await startEditingChat(start, { files });
      const { nvim } = chat;
      await chat.run(['disk', 'a.txt', changed([2, 'TWO'])]);
      await nvim.command('wincmd t | tabnew | tabfirst');
      const tabs = () => nvim.lua<number>('return #vim.api.nvim_list_tabpages()');
      await chat.review();
      await waitForCursor(chat, 'a.txt:2');
      await nvim.input(keys);
      await nvim.waitFor(async () => (await tabs()) === 2, 'two tab pages');
      if (keys === 'q') expect(await nvim.lua('return vim.fn.tabpagenr()')).toBe(1);
      await nvim.command('tabfirst | wincmd t | edit a.txt');
      expect(await nvim.lua('return { vim.wo.winbar, vim.fn.bufname() }')).toEqual(['', 'a.txt']);
    },
  );

  it.for(['split', 'inline'])('looks like this: %s', async (review, { start }) => {
    const chat = await startEditingChat(start, { files, config: `{ review = '${review}' }` });
    await chat.run(
      ['disk', 'a.txt', text(['line 1', 'TWO', 'line 3', ...ten.slice(4), 'line 11'])],
      ['disk', 'sub/new.txt', 'one\ntwo\n'],
      ['sh', 'rm b.txt'],
    );
    await chat.review();
    await chat.waitForList(/a\.txt/, /b\.txt/, /new\.txt/);
    await waitForCursor(chat, 'a.txt:2');
    await drawn(chat.nvim);
    await chat.nvim.waitForScreen('line 11');
    expect(screenSnapshot(chat.nvim.screen)).toMatchSnapshot();
  });
});

describe('a review without changes', () => {
  it.for([
    ['', 'there are no changes to review'],
    ['turn', 'there are no changes to review'],
    ['quickfix', 'there are no changes to review'],
    ['%', 'the chat is not a file'],
  ])('is a message and no tab page: %s', async ([what, message], { start }) => {
    const { nvim } = await startEditingChat(start, { files: { 'a.txt': 'one\n' } });
    await nvim.input(`:AcpReview ${what}<CR>`);
    await nvim.waitForScreen(`acp: ${message}`);
    expect(await nvim.lua("return vim.fn.tabpagenr('$')")).toBe(1);
  });
});

describe('the chat of a review', () => {
  it.for(['AcpChat', 'AcpReview tell'])('opens on its own tab page with %s', async (command, { start }) => {
    const chat = await startEditingChat(start, { files: { 'a.txt': 'one\n' } });
    const { nvim } = chat;
    await chat.run(['write', 'a.txt', 'two\n']);
    await chat.review();
    const layout = await nvim.lua('return vim.fn.winlayout(2)');
    await nvim.command(command);
    await nvim.waitFor(async () => (await nvim.lua('return vim.bo.filetype')) === 'acp-prompt', 'the prompt');
    expect(await nvim.lua('return { vim.fn.tabpagenr(), vim.fn.winlayout(2) }')).toEqual([1, layout]);
  });
});
