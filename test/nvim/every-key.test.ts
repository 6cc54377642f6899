import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import {
  type ProgrammableChat,
  startEditingChat,
  startProgrammableChat,
} from '../support/agents/programmable-chat.ts';
import { converse, drawn, floatText, startChat, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { answerImmediately, doubleClick } from '../support/nvim/user.ts';
import { hasGit } from '../support/system/git.ts';

const help = fs.readFileSync(path.join(repoRoot, 'doc/acp.txt'), 'utf8');
const chapter = help.slice(help.indexOf('\n13. Keys  '), help.indexOf('\n14. Options  '));

/** The keys in the table of the help below a heading, without commands and the keys of Neovim's completion. */
function told(heading: string): string[] {
  const [, table = ''] = chapter.split(`\n${heading}`);
  const rows = table
    .slice(table.indexOf('\n') + 1)
    .split('\n\n')[0]!
    .split('\n');
  const names = rows.flatMap((row) => /^ {4}(\S.*?) {2}/.exec(row)?.[1]?.split(' ') ?? []);
  const digits = names.includes('…') ? ['2', '3', '4', '5', '6', '7', '8'] : [];
  const others = names.filter((name) => !/^(:w|…|<C-x><C-o>)$/.test(name));
  return [...new Set([...others, ...digits])].toSorted();
}

/** The keys that are mapped in the current buffer, except for those of every buffer of the plugin. */
async function mapped(nvim: TestNvim): Promise<string[]> {
  const all = await nvim.lua<string[]>(`
    local found = {}
    for _, mode in ipairs({ 'n', 'i', 'x', 'o', 't' }) do
      for _, map in ipairs(vim.api.nvim_buf_get_keymap(0, mode)) do
        if (map.desc or ''):find('^acp: ') and map.desc ~= 'acp: go to the file' then
          found[map.lhs] = true
        end
      end
    end
    return vim.tbl_keys(found)`);
  return all
    .map((key) => key.replace(/^<C-(\w)>$/, (_, letter: string) => `<C-${letter.toLowerCase()}>`))
    .toSorted();
}

/** Goes to the window of a buffer by its name, a Lua pattern, once it is open. */
async function enter(nvim: TestNvim, name: string): Promise<void> {
  const code = `
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)):find(...) then
        vim.api.nvim_set_current_win(win)
        return true
      end
    end`;
  await nvim.waitFor(() => nvim.lua(code, name), `the window ${name}`);
}

/** Compares the keys of the current window with a table of the help, except for some. */
async function expectKeys(nvim: TestNvim, heading: string, except: readonly string[] = []): Promise<void> {
  const expected = told(heading).filter((key) => !except.includes(key));
  expect(expected.length, heading).toBeGreaterThan(1);
  const isMapped = async () => (await mapped(nvim)).length >= expected.length;
  await nvim.waitFor(isMapped, `as many keys as the help has: ${heading}`);
  expect(await mapped(nvim), heading).toEqual(expected);
}

const here = (nvim: TestNvim) => nvim.lua<string>("return vim.fn.expand('%:t') .. ':' .. vim.fn.line('.')");
const lines = (nvim: TestNvim) => nvim.lua<string[]>('return vim.api.nvim_buf_get_lines(0, 0, -1, false)');

/** A conflict of an agent with two lines that the user has changed, line by line in a split. */
async function startConflict(start: (options?: NvimOptions) => Promise<TestNvim>): Promise<ProgrammableChat> {
  const text = ['one', 'two', 'three', 'four', 'five', ''].join('\n');
  const chat = await startProgrammableChat(start, {
    columns: 130,
    files: { 'a.txt': text },
    args: ['a.txt'],
  });
  const { nvim } = chat;
  const file = chat.at('a.txt');
  await chat.begin({ ask: 'fs/read_text_file', params: { path: file } });
  await waitForPhase(nvim, 'idle');
  await nvim.lua(`
    local buf = vim.fn.bufnr('a.txt')
    vim.api.nvim_buf_set_lines(buf, 0, 1, true, { 'mine 1' })
    vim.api.nvim_buf_set_lines(buf, 4, 5, true, { 'mine 5' })`);
  const content = text.replace('one', 'theirs 1').replace('five', 'theirs 5');
  await chat.begin({ ask: 'fs/write_text_file', params: { path: file, content } });
  await chat.nextLabels();
  await chat.pick('Choose line by line, in a split');
  await enter(nvim, '%-result%-');
  return chat;
}

async function press(nvim: TestNvim, keys: string, isDone: () => Promise<boolean>): Promise<void> {
  await nvim.input(keys);
  await nvim.waitFor(isDone, `what ${keys} does`);
}

// Since 0.11 Neovim has the key everywhere.
const outline = process.env.ACP_TEST_NVIM === '0.10' ? [] : ['gO'];

describe('the help and the windows list the same keys', () => {
  it('in a chat', async ({ start }) => {
    const inFloat = "require('acp.dialogs.select').fits = function() return false end";
    const init = `${answerImmediately}\n${inFloat}`;
    const nvim = await startChat(start, { columns: 140, lines: 60, init });
    await converse(nvim, 'plan');
    await enter(nvim, '%-prompt$');
    await expectKeys(nvim, 'In the prompt:', ['<Tab>', '<C-g>m']);
    await enter(nvim, 'acp://tour%-1$');
    await expectKeys(nvim, 'In the transcript:', outline);
    await nvim.input('<C-w>t:AcpAsk<CR><Esc>');
    await enter(nvim, '%-ask$');
    await expectKeys(nvim, 'In the window that asks');
    await nvim.input('q:AcpPlan<CR>');
    await enter(nvim, '%-plan$');
    await expectKeys(nvim, 'In the plan');
    await nvim.input('q:AcpTraffic<CR>');
    await enter(nvim, '%-traffic$');
    await expectKeys(nvim, 'In the traffic');
    await nvim.input(':close<CR>:AcpSessions panel<CR>');
    await enter(nvim, 'acp://sessions$');
    await expectKeys(nvim, 'In the list of sessions');
    await nvim.input('q:AcpRun echo one<CR>');
    await enter(nvim, 'acp://terminal%-');
    await expectKeys(nvim, 'In the terminal', ['gf', 'gF']);
    await nvim.input(':close<CR>');
    await nvim.command('AcpSend permission');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'a question');
    await nvim.command('AcpSend later');
    await nvim.waitForScreen('1 queued');
    await nvim.input('<C-w>b:AcpQueue<CR>');
    await enter(nvim, '%-queue$');
    await expectKeys(nvim, 'In the queue');
    await nvim.input(':close<CR>:AcpAnswer<CR>');
    await nvim.waitFor(async () => (await floatText(nvim)) !== '', 'the question');
    await expectKeys(nvim, 'In the window of a question', ['gd']);
    await press(nvim, 'g?', async () => (await nvim.lua('return vim.bo.filetype')) === 'acp-keys');
    await nvim.waitForScreen('answer');
    await press(nvim, '<Esc>', async () => (await mapped(nvim)).includes('9'));
    await nvim.input('/Reject<CR>');
    await press(nvim, '<CR>', async () => (await floatText(nvim)) === '');
  });

  it.skipIf(!hasGit)('in a review and in a file under review', async ({ start }) => {
    const chat = await startEditingChat(start, { files: { 'a.txt': 'one\n', 'b.txt': 'one\n' } });
    const { nvim } = chat;
    await chat.run(['write', 'a.txt', 'two\n'], ['write', 'b.txt', 'two\n']);
    await chat.review();
    const heading = 'In a review';
    await expectKeys(nvim, heading);
    await enter(nvim, '%-review%-before$');
    await expectKeys(nvim, heading, ['<CR>']);
    await enter(nvim, '/a.txt$');
    const isMoving = (key: string) => /^[[\]]/.test(key);
    const inFile = told(heading).filter((key) => key !== '<CR>');
    const expected = inFile.map((key) => (isMoving(key) ? key : `\\${key}`)).toSorted();
    await nvim.waitFor(async () => (await mapped(nvim)).length > 0, 'the keys of the file');
    expect(await mapped(nvim)).toEqual(expected);
  });

  it('in a conflict', async ({ start }) => {
    const { nvim } = await startConflict(start);
    await expectKeys(nvim, 'In a conflict');
    await enter(nvim, '%-yours%-');
    expect(await mapped(nvim)).toEqual(['g?', 'q']);
  });
});

describe('the keys', () => {
  it.skipIf(!hasGit)('of a file under review, and <CR> in the list', async ({ start }) => {
    const chat = await startEditingChat(start, { files: { 'a.txt': 'one\n', 'b.txt': 'one\n' } });
    const { nvim } = chat;
    await chat.run(['write', 'a.txt', 'two\n'], ['write', 'b.txt', 'two\n']);
    await chat.review();
    await nvim.input('3G<CR>');
    const open = async () =>
      (await chat.list())
        .join('\n')
        .match(/(?<=○ )\S+/g)
        ?.join() ?? '';
    await enter(nvim, '/b.txt$');
    await press(nvim, '[h', async () => (await here(nvim)) === 'a.txt:1');
    for (const [key, left] of [
      ['\\a', 'b.txt'],
      ['\\A', 'b.txt'],
      ['\\gA', ''],
      ['\\gX', ''],
    ] as const) {
      await press(nvim, key, async () => (await open()) === left);
      await press(nvim, '\\u', async () => (await open()) === 'a.txt,b.txt');
      await enter(nvim, '/a.txt$');
      await drawn(nvim);
    }
    await press(nvim, '\\q', async () => (await nvim.lua("return vim.fn.tabpagenr('$')")) === 1);
  });

  it('of a conflict', async ({ start }) => {
    const { nvim } = await startConflict(start);
    const at = (number: number) => async () =>
      (await nvim.lua<string>('return vim.api.nvim_get_current_line()')).endsWith(`conflict ${number}`);
    await nvim.waitFor(at(1), 'the first conflict');
    await press(nvim, ']x', at(2));
    await press(nvim, '[x', at(1));
    await press(nvim, 'G9[x', at(1));
    await press(nvim, 'gm', async () => (await lines(nvim))[0] === 'mine 1');
    await press(nvim, 'u', async () => (await lines(nvim))[0] !== 'mine 1');
    const mine = ['mine 1', 'two', 'three', 'four', 'mine 5'];
    await press(nvim, 'VGgm', async () => (await lines(nvim)).join() === mine.join());
    expect(await nvim.lua('return vim.api.nvim_get_mode().mode')).toBe('n');
  });

  it('of the list of sessions and of the traffic', async ({ start }) => {
    const nvim = await startChat(start, { columns: 140, lines: 50, init: "vim.o.mouse = 'a'" });
    await converse(nvim, 'plan');
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await nvim.waitForScreen((text) => text.includes('Welcome') && !text.includes('▎plan'));
    await nvim.command('AcpTraffic');
    await nvim.waitForScreen('result of session/prompt');
    const row = () => nvim.lua<number>("return vim.fn.line('.')");
    await press(nvim, 'gg]]', async () => (await row()) === 2);
    await press(nvim, '<CR>', async () => (await lines(nvim))[2]!.startsWith(' '));
    await press(nvim, ']]', async () => (await row()) > 4);
    await press(nvim, '[[', async () => (await row()) === 2);
    await press(nvim, 'gg2]]', async () => (await row()) > 4);
    const asked = async () => (await lines(nvim)).filter((text) => text.includes('→ session/list')).length;
    const before = await asked();
    await nvim.command('AcpSessions panel');
    await enter(nvim, 'acp://sessions$');
    const isRead = (list: readonly string[]) => list.includes('○ Plan') && !list.includes('  …');
    await nvim.waitFor(async () => isRead(await lines(nvim)), 'the sessions');
    await nvim.input('gg');
    await press(nvim, ']]', async () => (await row()) === 2);
    const next = (await lines(nvim)).findIndex((text, index) => index > 1 && /^\S/.test(text)) + 1;
    await press(nvim, ']]', async () => (await row()) === next);
    await press(nvim, '[[', async () => (await row()) === 2);
    await press(nvim, 'gg2]]', async () => (await row()) === next);
    await nvim.input('R');
    await enter(nvim, '%-traffic$');
    await nvim.waitFor(async () => (await asked()) > before + 1, 'another request for the sessions');
    expect(await nvim.lua("return require('acp.chats').current().id")).toBe(2);
    await doubleClick(nvim, '○ Plan');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().id == 1"), 'the first chat');
  });

  it('of the prompt, the window that asks and the list of keys', async ({ start }) => {
    const files = { 'a.txt': 'first\nsecond\n', 'b.txt': '' };
    const init = "vim.keymap.set('n', '<F5>', '<Plug>(acp-queue)')";
    const nvim = await startChat(start, { columns: 140, files, args: ['b.txt'], init });
    for (const key of ['gF', 'gx']) {
      await nvim.input('<C-w>b<Esc>ccsee @a.txt:2 now<Esc>06l');
      await press(nvim, key, async () => (await here(nvim)) === 'a.txt:2');
      await nvim.command('edit b.txt');
    }
    await nvim.input('<C-w>b<Esc>cc<Esc>');
    await converse(nvim, 'hello');
    await nvim.input('<C-w>t:AcpAsk<CR>see @a.txt now');
    await enter(nvim, '%-ask$');
    await press(nvim, '<Up>', async () => (await lines(nvim)).join() === 'hello');
    await press(nvim, '<Down>', async () => (await lines(nvim)).join() === 'see @a.txt now');
    await press(nvim, '<Esc>6|K', async () => nvim.screen.text().includes('second'));
    for (const close of ['g?', '<Esc>', 'q']) {
      await press(nvim, 'g?', async () => (await nvim.lua('return vim.bo.filetype')) === 'acp-keys');
      await press(nvim, close, async () => (await nvim.lua('return vim.bo.filetype')) === 'acp-prompt');
    }
    await nvim.input('q');
    await nvim.command('AcpSend hang');
    await nvim.command('AcpSend later');
    await nvim.waitForScreen('1 queued');
    await press(nvim, '<F5>', async () => (await nvim.lua('return vim.bo.filetype')) === 'acp-queue');
  });
});
