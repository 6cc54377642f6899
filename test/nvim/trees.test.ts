import { describe, expect } from 'vitest';
import { promptText } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const files = { 'src/a.lua': 'one\n', 'src/b c.lua': 'two\n', 'top.txt': 'three\n' };
const maps = `
  vim.g.acp = { agent = 'tour' }
  vim.keymap.set({ 'n', 'x' }, 'ga', '<Plug>(acp-add)')
  vim.keymap.set('n', 'gaf', '<Plug>(acp-add-file)')`;

const says = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await nvim.messages()).replaceAll('\n', '').includes(text), text);

const waitForDraft = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await promptText(nvim)) === text, text);

describe('in netrw', () => {
  it.for([
    ['a thin list', 0],
    ['a long list', 1],
    ['a wide list', 2],
    ['a tree', 3],
  ] as const)('the file under the cursor is added, in %s', async ([, style], { start }) => {
    const nvim = await start({ init: `vim.g.netrw_liststyle = ${style}\n${maps}`, files });
    await nvim.command('edit .');
    await nvim.command("call search('top.txt')");
    const cursor = await nvim.lua('return vim.fn.getpos(".")');
    await nvim.input('gaf');
    await waitForDraft(nvim, '@top.txt');
    expect(await nvim.lua('return vim.fn.getpos(".")')).toEqual(cursor);
    await nvim.command("call search('src/')");
    await nvim.command('AcpAdd');
    await waitForDraft(nvim, '@top.txt @src/');
  });

  it('the files of a selection are added, and lines without a file are not', async ({ start }) => {
    const nvim = await start({ init: maps, files });
    await nvim.command('edit src');
    await nvim.input('ggVGga');
    await waitForDraft(nvim, '@src/a.lua @"src/b c.lua"');
  });

  it('files of an open folder of a tree are added with their path', async ({ start }) => {
    const nvim = await start({ init: `vim.g.netrw_liststyle = 3\n${maps}`, files });
    await nvim.command('edit .');
    await nvim.command("call search('src/')");
    await nvim.input('<CR>');
    await nvim.waitForScreen('a.lua');
    await nvim.command("call search('a.lua')");
    await nvim.input('gaf');
    await waitForDraft(nvim, '@src/a.lua');
  });

  it('the marked files are added', async ({ start }) => {
    const nvim = await start({ init: maps, files });
    await nvim.command('edit src');
    await nvim.command("call search('a.lua')");
    await nvim.input('mf');
    await nvim.command("call search('b c.lua')");
    await nvim.input('mfgggaf');
    await waitForDraft(nvim, '@src/a.lua @"src/b c.lua"');
  });
});

// The functions of these plugins that are called, with the answers that they give.
const standIns = {
  oil: `package.loaded.oil = {
    get_current_dir = function() return vim.fn.getcwd() .. '/src/' end,
    get_entry_on_line = function(_, line)
      return ({ { name = '..', type = 'directory' }, { name = 'a.lua', type = 'file' }, { name = 'sub', type = 'directory' } })[line]
    end }`,
  minifiles: `package.loaded['mini.files'] = {
    get_fs_entry = function(_, line)
      return ({ nil, { path = vim.fn.getcwd() .. '/src/a.lua', fs_type = 'file' },
        { path = vim.fn.getcwd() .. '/src/sub', fs_type = 'directory' } })[line]
    end }`,
  'neo-tree': `package.loaded['neo-tree.sources.manager'] = {
    get_state_for_window = function()
      return { tree = { get_node = function(_, line)
        return ({ { type = 'message' }, { path = vim.fn.getcwd() .. '/src/a.lua', type = 'file' },
          { path = vim.fn.getcwd() .. '/src/sub', type = 'directory' } })[line]
      end } }
    end }`,
  NvimTree: `package.loaded['nvim-tree.api'] = {
    marks = { list = function() return {} end },
    tree = { get_node_under_cursor = function()
      return ({ { name = '..' }, { absolute_path = vim.fn.getcwd() .. '/src/a.lua', type = 'file' },
        { absolute_path = vim.fn.getcwd() .. '/src/sub', type = 'directory' } })[vim.fn.line('.')]
    end } }`,
};

describe('in other trees', () => {
  it.for(Object.entries(standIns))(
    'the files under the cursor and in a selection are added: %s',
    async ([filetype, standIn], { start }) => {
      const nvim = await start({ init: `${maps}\n${standIn}`, files });
      await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'up', 'a', 'sub' })");
      await nvim.command(`setlocal buftype=nofile filetype=${filetype}`);
      await nvim.input('2Ggaf');
      await waitForDraft(nvim, '@src/a.lua');
      await nvim.input('ggVGga');
      await waitForDraft(nvim, '@src/a.lua @src/sub/');
      expect(await nvim.messages()).toContain('added @src/sub/ to the draft for tour; 1 was in it already');
      await nvim.input('ggVGga');
      await says(nvim, '2 mentions are already in the draft for tour');
      expect(await nvim.lua('return vim.fn.line(".")')).toBe(3);
    },
  );

  it('the folder of the chat itself is added with a name', async ({ start }) => {
    const root = `package.loaded['mini.files'] = {
      get_fs_entry = function() return { path = vim.fn.getcwd(), fs_type = 'directory' } end }`;
    const nvim = await start({ init: `${maps}\n${root}`, files });
    await nvim.command('setlocal buftype=nofile filetype=minifiles');
    await nvim.input('gaf');
    await waitForDraft(nvim, '@./');
  });

  it('a plugin that fails is not an error of ours', async ({ start }) => {
    const nvim = await start({ init: `${maps}\npackage.loaded.oil = {}`, files });
    await nvim.command('setlocal filetype=oil');
    await nvim.input('gaf');
    await nvim.waitForScreen('there is no file in this line');
  });
});

describe('in lists of other plugins', () => {
  const chats = (nvim: TestNvim) => nvim.lua<number>("return vim.tbl_count(require('acp.chats').all())");

  it.for(['nofile', 'nowrite', 'prompt'])(
    'there is no file, and nothing is added: %s',
    async (kind, { start }) => {
      const nvim = await start({ init: maps, files, columns: 120 });
      await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'src', 'top.txt' })");
      await nvim.command(`setlocal buftype=${kind} filetype=some_explorer`);
      for (const keys of ['gaf', ':AcpAdd<CR>']) {
        await nvim.command('messages clear');
        await nvim.input(keys);
        await says(
          nvim,
          'this window has no file (some_explorer); open one, select lines, or name it: :AcpAdd {file}',
        );
      }
      expect(await chats(nvim)).toBe(0);
    },
  );

  it('lines that were chosen are added as text', async ({ start }) => {
    const nvim = await start({ init: maps, files });
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'one', 'two', 'three' })");
    await nvim.command('setlocal buftype=nofile');
    const buf = await nvim.lua<number>('return vim.api.nvim_get_current_buf()');
    await nvim.input('2GVga');
    await waitForDraft(nvim, `@buffer:${buf}:2`);
    await nvim.input('1GVjga');
    await waitForDraft(nvim, `@buffer:${buf}:2 @buffer:${buf}:1-2`);
  });

  it('the quickfix list has a mention of its own', async ({ start }) => {
    const nvim = await start({ init: maps, files, columns: 120 });
    await nvim.command('copen');
    await nvim.input('gaf');
    await says(nvim, 'this window has no file; @quickfix or @loclist mentions its entries');
    expect(await chats(nvim)).toBe(0);
  });

  it('a terminal is mentioned by its number', async ({ start }) => {
    const nvim = await start({ init: maps, files });
    await nvim.command('terminal echo hello');
    const buf = await nvim.lua<number>('return vim.api.nvim_get_current_buf()');
    await nvim.input('<C-\\><C-n>gaf');
    await waitForDraft(nvim, `@buffer:${buf}`);
  });
});
