import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { promptText, startChat, transcript, waitForPhase, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';

const text = `${Array.from({ length: 60 }, (_, index) => `line ${index + 1}`).join('\n')}\n`;
const map = "vim.keymap.set({ 'n', 'x' }, 'gk', '<Plug>(acp-ask)')";

async function startInFile(
  start: (options?: NvimOptions) => Promise<TestNvim>,
  options: NvimOptions = {},
): Promise<TestNvim> {
  const nvim = await startChat(start, {
    columns: 120,
    files: { 'src/a.lua': text },
    ...options,
    init: `${map}\n${options.init ?? ''}`,
  });
  await nvim.command('wincmd t | edit src/a.lua');
  return nvim;
}

const floats = (nvim: TestNvim) =>
  nvim.lua<{ row: number; col: number; width: number; height: number; current: boolean }[]>(`
    return vim.iter(vim.api.nvim_list_wins()):filter(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end):map(function(win)
      local at = vim.api.nvim_win_get_position(win)
      return { row = at[1], col = at[2], width = vim.api.nvim_win_get_width(win),
        height = vim.api.nvim_win_get_height(win), current = win == vim.api.nvim_get_current_win() }
    end):totable()`);

const place = (nvim: TestNvim) =>
  nvim.lua<unknown[]>(
    'return { vim.fn.expand("%"), vim.api.nvim_win_get_cursor(0), vim.fn.line("w0"), vim.api.nvim_get_mode().mode }',
  );

async function waitForFloat(nvim: TestNvim): Promise<void> {
  await nvim.waitFor(
    async () =>
      (await floats(nvim))[0]?.current && (await nvim.lua('return vim.api.nvim_get_mode().mode')) === 'i',
    'the window',
  );
}

async function waitForClosed(nvim: TestNvim): Promise<void> {
  await nvim.waitFor(async () => (await floats(nvim)).length === 0, 'the window to close');
}

const waitForLine = (nvim: TestNvim, line: string) =>
  nvim.waitFor(async () => (await transcript(nvim)).includes(line), line);

function savedDrafts({ env }: Sandbox): readonly string[] {
  const folder = path.join(env.XDG_STATE_HOME ?? '', 'nvim', 'acp', 'drafts');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith('.draft'))
    .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
}

const waitForMenu = (nvim: TestNvim, word: string) =>
  nvim.waitFor(
    () =>
      nvim.lua<boolean>(
        `local word = ... return vim.fn.pumvisible() == 1 and vim.iter(vim.fn.complete_info({ 'items' }).items):any(function(item)
          return item.word == word
        end)`,
        word,
      ),
    `${word} in the menu`,
  );

/** The highlights of the mentions in the window. */
const marked = (nvim: TestNvim) =>
  nvim.lua<string[]>(`
    local ns = vim.api.nvim_create_namespace('acp.context.marks')
    return vim.tbl_map(function(mark)
      return mark[4].hl_group
    end, vim.api.nvim_buf_get_extmarks(require('acp.chats').current().ask, ns, 0, -1, { details = true }))`);

describe('<Plug>(acp-ask)', () => {
  it.for([
    ['the line of the cursor', '5G3|gk', 'hello there<C-s>', '@src/a.lua:5'],
    ['as many lines as the count says', '5G3|3gk', 'hello there<Esc><CR>', '@src/a.lua:5-7'],
    ['the selection', '5GVjjgk', 'hello there<C-s>', '@src/a.lua:5-7'],
    ['a selection made upwards', '7Gvkkgk', 'hello there<Esc>:w<CR>', '@src/a.lua:5-7'],
  ] as const)('asks about %s', async ([, open, keys, mention], { start }) => {
    const nvim = await startInFile(start);
    await nvim.input(open);
    await waitForFloat(nvim);
    await nvim.waitForScreen(`Ask tour ${mention}`);
    await nvim.input(keys);
    await waitForLine(nvim, mention);
    expect(await transcript(nvim)).toContain('hello there');
    await waitForLine(nvim, `  ▪ ${mention.slice(1)}`);
    await waitForClosed(nvim);
  });

  it.for([
    ['<C-s> in Insert mode', 'hello<C-s>'],
    ['<CR> in Normal mode', 'hello<Esc><CR>'],
    ['<Esc> in Normal mode', 'hello<Esc><Esc>'],
    ['q in Normal mode', 'hello<Esc>q'],
  ] as const)('goes back to the cursor, the view and Normal mode after %s', async ([, keys], { start }) => {
    const nvim = await startInFile(start);
    await nvim.input('40Gzt5|');
    const before = await place(nvim);
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input(keys);
    await waitForClosed(nvim);
    expect(await place(nvim)).toEqual(before);
    expect(await windows(nvim)).toEqual(['lua', 'acp', 'acp-prompt']);
  });

  it('keeps text that was not sent until it is sent', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input('hello<CR>there<Esc><Esc>');
    await waitForClosed(nvim);
    await nvim.input('9Ggk');
    await waitForFloat(nvim);
    expect(await nvim.lines()).toEqual(['hello', 'there']);
    await nvim.waitForScreen('Ask tour @src/a.lua:9');
    await nvim.input('!<C-s>');
    await waitForLine(nvim, 'there!');
    await nvim.waitFor(
      () => nvim.lua("return vim.api.nvim_buf_line_count(require('acp.chats').current().ask) == 1"),
      'an empty window',
    );
    await nvim.input('gk');
    await waitForFloat(nvim);
    expect(await nvim.lines()).toEqual(['']);
  });

  it.for(['quits', 'is killed while the window is open'])(
    'becomes a part of the draft when Neovim %s',
    async (end, { start }) => {
      const sandbox = new Sandbox();
      const first = await startInFile(start, { sandbox });
      await first.lua("require('acp.chat.prompt.insert').add(require('acp.chats').current(), 'a draft')");
      await first.input('5Ggk');
      await waitForFloat(first);
      await first.input('not yet<CR>sent');
      if (end === 'quits') {
        await first.input('<Esc><Esc>');
        await waitForClosed(first);
        await first.quit('qa');
      } else {
        await first.waitFor(
          () => savedDrafts(sandbox).some((text) => text.includes('not yet\\nsent')),
          'the file',
        );
        process.kill(first.pid, 'SIGKILL');
        await first.exited;
      }
      const second = await startInFile(start, { sandbox });
      expect((await promptText(second)).trim()).toBe('a draft\n\nnot yet\nsent\n\n@src/a.lua:5');
      await second.input('gk');
      await waitForFloat(second);
      expect(await second.lines()).toEqual(['']);
    },
  );

  it('leaves nothing on the disk once it is sent', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input('hello there');
    await nvim.waitFor(() => savedDrafts(nvim.sandbox).length === 1, 'the file');
    await nvim.input('<C-s>');
    await waitForLine(nvim, 'hello there');
    await nvim.waitFor(() => savedDrafts(nvim.sandbox).length === 0, 'no file');
  });

  it('goes into the prompt when its buffer is wiped out, once', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('5Ggk');
    await waitForFloat(nvim);
    await nvim.input('not yet sent<Esc>');
    await nvim.lua("vim.api.nvim_buf_delete(require('acp.chats').current().ask, { force = true })");
    await nvim.waitFor(
      async () => (await promptText(nvim)).trim() === 'not yet sent\n\n@src/a.lua:5',
      'the text in the prompt',
    );
    await nvim.waitFor(
      () => savedDrafts(nvim.sandbox).some((text) => text.endsWith('\nnot yet sent\n\n@src/a.lua:5')),
      'the draft',
    );
    expect(savedDrafts(nvim.sandbox).join()).not.toContain('"ask"');
  });

  it('has the earlier prompts on <Up>', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.command('AcpSend hello from before');
    await waitForLine(nvim, 'hello from before');
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input('<Up>');
    await nvim.waitFor(async () => (await nvim.lines())[0] === 'hello from before', 'the earlier prompt');
  });

  it('completes mentions and highlights them', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input('compare with @alu');
    await waitForMenu(nvim, '@src/a.lua');
    await nvim.input('<C-n><C-y> and @none.lua.<Esc>');
    expect(await nvim.lines()).toEqual(['compare with @src/a.lua and @none.lua.']);
    await nvim.waitFor(
      async () => (await marked(nvim)).join() === 'AcpMention,AcpMentionUnknown',
      'both highlights',
    );
    await nvim.input('<CR>');
    await waitForLine(nvim, '  ▪ src/a.lua:1');
    expect(await transcript(nvim)).toContain('  ▪ src/a.lua');
  });

  it('completes slash commands and shows the hint for their argument', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input('/too');
    await waitForMenu(nvim, '/tools');
    await nvim.input('<C-e><C-u>/link');
    await nvim.waitForScreen('/link url');
  });

  it('sends nothing but says so while it is empty', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input('<C-s>');
    await nvim.waitForScreen('write a question first');
    expect(await floats(nvim)).toHaveLength(1);
  });

  it('leaves the draft of the chat alone', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('<C-w>bihello, a draft<Esc><C-w>tgk');
    await waitForFloat(nvim);
    await nvim.input('hello<C-s>');
    await waitForLine(nvim, 'hello');
    await waitForPhase(nvim, 'idle');
    expect(await promptText(nvim)).toBe('hello, a draft');
  });

  it('removes what is attached with <BS> in Normal mode', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input('hello<Esc>');
    await nvim.waitForScreen('<CR> send · <BS> detach · q close');
    await nvim.input('<BS>');
    await nvim.waitForScreen((screen) => !screen.includes('@src/a.lua'));
    await nvim.input('<CR>');
    await waitForLine(nvim, 'hello');
    expect((await transcript(nvim)).join('\n')).not.toContain('@src/a.lua');
  });

  it('grows with its text, up to a third of the screen', async ({ start }) => {
    const nvim = await startInFile(start, { lines: 30 });
    await nvim.input('gk');
    await waitForFloat(nvim);
    expect((await floats(nvim))[0]?.height).toBe(1);
    await nvim.input('one<CR>two<CR>three');
    await nvim.waitFor(async () => (await floats(nvim))[0]?.height === 3, 'three lines');
    expect(await nvim.lua('return vim.fn.line("w0")')).toBe(1);
    await nvim.waitForScreen(/› one/);
    await nvim.input('<CR>more'.repeat(20));
    await nvim.waitFor(async () => (await floats(nvim))[0]?.height === 10, 'ten lines');
  });

  it('opens above the cursor at the end of the screen', async ({ start }) => {
    const nvim = await startInFile(start, { lines: 30 });
    await nvim.input('40Gzbgk');
    await waitForFloat(nvim);
    await nvim.input('one<CR>two<CR>three');
    await nvim.waitFor(async () => (await floats(nvim))[0]?.height === 3, 'three lines');
    const [float] = await floats(nvim);
    const cursor = await nvim.lua<number>('return vim.fn.screenpos(vim.fn.win_getid(1), 40, 1).row');
    expect(float!.row + float!.height + 2).toBeLessThanOrEqual(cursor - 1);
  });

  it.for([
    [24, 10],
    [12, 6],
  ] as const)('fits on a screen of %s columns and %s lines', async ([columns, lines], { start }) => {
    const nvim = await startInFile(start, { columns: 80, lines: 24 });
    await nvim.command('AcpChat!');
    await nvim.resize(columns, lines);
    await nvim.input('3Ggk');
    await waitForFloat(nvim);
    await nvim.input('hello from a very small screen');
    const [float] = await floats(nvim);
    expect(float!.col + float!.width + 2).toBeLessThanOrEqual(columns);
    expect(float!.row + float!.height + 2).toBeLessThanOrEqual(lines);
    await nvim.input('<Esc>q');
    await waitForClosed(nvim);
  });

  it('moves when the screen is resized', async ({ start }) => {
    const nvim = await startInFile(start, { columns: 120 });
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.resize(50, 20);
    await nvim.waitFor(async () => (await floats(nvim))[0]!.width <= 46, 'a narrower window');
  });

  it('has a title without a border, and takes the border of the user', async ({ start, skip }) => {
    const nvim = await startInFile(start);
    const hasOption = await nvim.lua<boolean>("return vim.fn.exists('+winborder') == 1");
    if (!hasOption) return skip('this Neovim has no such option');
    await nvim.command('set winborder=double');
    await nvim.input('gk');
    await nvim.waitForScreen(/╔ Ask tour @src\/a.lua:1 ═+╗/);
    await nvim.input('<Esc><Esc>');
    await waitForClosed(nvim);
    await nvim.command('set winborder=none');
    await nvim.input('gk');
    await nvim.waitForScreen('Ask tour @src/a.lua:1');
  });

  it('opens the chat if there was none', async ({ start }) => {
    const nvim = await start({
      init: `vim.g.acp = { agent = 'tour' }\n${map}`,
      files: { 'a.txt': 'text\n' },
      args: ['a.txt'],
    });
    await nvim.attachHost();
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input('hello<C-s>');
    await waitForLine(nvim, 'hello');
    expect(await windows(nvim)).toEqual(['text', 'acp', 'acp-prompt']);
    expect((await place(nvim))[0]).toBe('a.txt');
  });

  it.for(['prompt', 'ask window'])(
    'is closed with its chat in Insert mode by a mapping that waits: %s',
    async (from, { start }) => {
      const nvim = await startChat(start);
      await nvim.lua(`
        local waits = {
          function() vim.wait(100) end,
          function() vim.system({ 'true' }):wait() end,
          function() vim.fn.system({ 'true' }) end,
        }
        vim.keymap.set('i', '<F6>', function()
          vim.cmd('AcpClose')
          for _, wait in ipairs(waits) do wait() end
          _G.has_waited = true
        end)`);
      if (from !== 'prompt') await nvim.command('wincmd t | AcpAsk');
      await nvim.input(from === 'prompt' ? 'itext' : 'text');
      await nvim.waitFor(
        async () => (await nvim.lua('return vim.api.nvim_get_current_line()')) === 'text',
        'text',
      );
      await nvim.input('<F6>');
      await nvim.waitFor(() => nvim.lua('return _G.has_waited'), 'the end of the mapping');
      await nvim.waitFor(async () => (await windows(nvim)).join() === '', 'the chat to close');
      expect(await nvim.lua('return vim.api.nvim_get_mode().mode')).toBe('n');
    },
  );

  it('is closed with its chat, also from its own window', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('gk');
    await waitForFloat(nvim);
    await nvim.input('hello<Esc>:AcpClose<CR>');
    await waitForClosed(nvim);
    expect(await windows(nvim)).toEqual(['lua']);
    expect((await nvim.messages()).trim()).toBe('');
  });
});
