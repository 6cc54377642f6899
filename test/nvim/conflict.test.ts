import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { drawn, transcript, waitForPhase } from '../support/chat.ts';
import { it } from '../support/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim.ts';
import { ObeyingChat } from '../support/obeying.ts';
import { screenSnapshot } from '../support/snapshot.ts';
import { noteMessages } from '../support/user.ts';

const text = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
// The releases do not agree on how lines are matched, and on their statusline.
const init = "vim.o.diffopt = 'internal,filler' vim.o.statusline = '%f'";
const size = { columns: 130, lines: 24, files: { 'a.txt': text }, args: ['a.txt'], init };
const answers = [
  'Keep mine',
  'Take theirs',
  'Keep both, mine first',
  'Refuse, and leave all as it is',
  'Choose line by line, in a split',
];

/** An agent has read a file, then the user has changed its first and last line. */
async function disagree(start: (options?: NvimOptions) => Promise<TestNvim>, config?: string) {
  const chat = await ObeyingChat.start(start, { ...size, ...(config && { config }) });
  const { nvim } = chat;
  const file = await chat.at('a.txt');
  const buf = await nvim.lua<number>("return vim.fn.bufnr('a.txt')");
  await chat.tell({ ask: 'fs/read_text_file', params: { path: file } });
  await waitForPhase(nvim, 'idle');
  const set = (row: number, line: string) =>
    nvim.lua('vim.api.nvim_buf_set_lines(...)', buf, row - 1, row, true, [line]);
  await set(1, 'mine 1');
  await set(7, 'mine 7');
  return {
    chat,
    nvim,
    file,
    set,
    lines: () => nvim.lines(buf),
    onDisk: () => fs.readFileSync(file, 'utf8'),
    isModified: () => nvim.lua('return vim.bo[...].modified', buf),
    undo: () => nvim.lua("vim.api.nvim_buf_call(..., function() vim.cmd('silent undo') end)", buf),
    write: (content: string) => chat.tell({ ask: 'fs/write_text_file', params: { path: file, content } }),
    answer: async () => {
      await waitForPhase(nvim, 'idle');
      await drawn(nvim);
      return (await transcript(nvim)).findLast((line) => line.startsWith('answers')) ?? '';
    },
    tabs: (count: number) =>
      nvim.waitFor(() => nvim.lua(`return #vim.api.nvim_list_tabpages() == ${count}`), `${count} tab pages`),
  };
}

const theirs = 'theirs 1\ntwo\nthree\nFOUR\nfive\nsix\ntheirs 7\n';
const mine = ['mine 1', 'two', 'three', 'four', 'five', 'six', 'mine 7'];

describe('a write over lines that the user has changed', () => {
  it.for<[string, string[], string]>([
    ['Keep mine', ['mine 1', 'two', 'three', 'FOUR', 'five', 'six', 'mine 7'], text.replace('four', 'FOUR')],
    ['Take theirs', ['theirs 1', 'two', 'three', 'FOUR', 'five', 'six', 'theirs 7'], theirs],
    [
      'Keep both, mine first',
      ['mine 1', 'theirs 1', 'two', 'three', 'FOUR', 'five', 'six', 'mine 7', 'theirs 7'],
      theirs,
    ],
  ])('waits until the user has chosen: %s', async ([choice, expected, saved], { start }) => {
    const { chat, lines, onDisk, write, answer, isModified, undo } = await disagree(start);
    await write(theirs);
    expect(await chat.asked()).toEqual(answers);
    expect(await lines()).toEqual(mine);
    expect(onDisk()).toBe(text);
    await chat.pick(choice);
    expect(await answer()).toBe('answers [{}]');
    expect(await lines()).toEqual(expected);
    expect(onDisk()).toBe(saved);
    expect(await isModified()).toBe(choice !== 'Take theirs');
    await undo();
    expect(await lines()).toEqual(mine);
  });

  it.for(['the user refuses', 'the turn is stopped', 'the chat is closed'])(
    'leaves all as it was when %s',
    async (how, { start }) => {
      const { chat, nvim, lines, onDisk, write, answer, tabs } = await disagree(start);
      await write(theirs);
      await chat.asked();
      await chat.pick('Choose line by line, in a split');
      await tabs(2);
      if (how === 'the user refuses') {
        await nvim.input('q');
        await tabs(1);
        await nvim.command('AcpAnswer');
        await chat.asked();
        await chat.pick('Refuse, and leave all as it is');
        expect(await answer()).toMatch(/the user has changed the same lines of .*a\.txt/);
      } else if (how === 'the turn is stopped') {
        await nvim.lua("require('acp.chats').cancel(require('acp.chats').get(1))");
        await answer();
      } else {
        await nvim.lua("require('acp.chats').close(require('acp.chats').get(1))");
      }
      await tabs(1);
      expect(await lines()).toEqual(mine);
      expect(onDisk()).toBe(text);
      const left =
        "return vim.tbl_filter(function(b) return vim.api.nvim_buf_get_name(b):find('acp://conflict') end, vim.api.nvim_list_bufs())";
      await nvim.waitFor(async () => (await nvim.lua<unknown[]>(left)).length === 0, 'no buffer to be left');
    },
  );

  it('leaves all as it was when the agent takes its call back, and only that one', async ({ start }) => {
    const { chat, nvim, file, lines, onDisk, answer, tabs } = await disagree(start);
    const withdrawnBy = await chat.at('enough');
    const write = { ask: 'fs/write_text_file', params: { path: file, content: theirs } };
    await chat.tell({ ...write, withdrawnBy }, write);
    await chat.asked();
    await chat.pick('Choose line by line, in a split');
    await tabs(2);
    fs.writeFileSync(withdrawnBy, '');
    await tabs(1);
    expect(await chat.asked()).toEqual(answers);
    expect(await lines()).toEqual(mine);
    expect(onDisk()).toBe(text);
    await chat.pick('Take theirs');
    expect(await answer()).toMatch(/^answers \[\{"code":-32800,.*\},\{\}\]$/);
    expect(onDisk()).toBe(theirs);
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 0"), 'no question');
  });

  it('can be settled line by line in a split, where it stays until it is done', async ({ start }) => {
    const { chat, nvim, lines, onDisk, write, answer, tabs } = await disagree(start);
    await write(theirs);
    await chat.asked();
    await chat.pick('Choose line by line, in a split');
    await tabs(2);
    await nvim.waitForScreen(':w done');
    await nvim.waitForScreen('conflict 2');
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
    await nvim.input('ga:w<CR>');
    await nvim.waitForScreen('1 of the conflicts are left');
    await nvim.input('q');
    await tabs(1);
    await nvim.command('AcpAnswer');
    await chat.asked();
    await chat.pick('Choose line by line, in a split');
    await tabs(2);
    await nvim.input('gb');
    await nvim.input('Goby hand<Esc>:w<CR>');
    const expected = ['theirs 1', 'two', 'three', 'FOUR', 'five', 'six', 'mine 7', 'theirs 7', 'by hand'];
    expect(await answer()).toBe('answers [{}]');
    await tabs(1);
    expect(await lines()).toEqual(expected);
    expect(onDisk()).toBe(theirs);
  });

  it.for<[string, string, (chat: ObeyingChat) => Promise<unknown>]>([
    ['the turn is stopped', 'the turn has ended', ({ nvim }) => nvim.command('AcpCancel')],
    ['the chat is closed', 'its chat was closed', ({ nvim }) => nvim.command('AcpClose')],
    [
      'it is answered otherwise',
      'it was answered: Keep mine',
      async (chat) => {
        await chat.nvim.command('AcpAnswer');
        await chat.asked();
        await chat.pick('Keep mine');
        await waitForPhase(chat.nvim, 'idle');
      },
    ],
  ])(
    'leaves a merge that someone is typing, and says why it no longer counts: %s',
    async (row, { start }) => {
      const [, reason, end] = row;
      const { chat, nvim, file, write, onDisk, tabs } = await disagree(start);
      await nvim.lua(noteMessages);
      await write(theirs);
      await chat.asked();
      await chat.pick('Choose line by line, in a split');
      await tabs(2);
      await nvim.input('ggOten minutes of merging<Esc>');
      await nvim.waitForScreen('ten minutes of merging');
      const result = await nvim.lua<number>('return vim.api.nvim_get_current_buf()');
      await end(chat);
      await nvim.waitForScreen('no longer counts: ');
      const said = async () => (await nvim.lua<string[]>('return _G.said')).join('\n');
      expect(await said()).toContain(
        `the merge of a.txt no longer counts: ${reason}; :w {file} keeps the text`,
      );
      expect((await nvim.lines(result))[0]).toBe('ten minutes of merging');
      await nvim.lua('vim.api.nvim_set_current_win(vim.fn.win_findbuf(...)[1])', result);
      const before = onDisk();
      await nvim.command('write');
      expect(await said()).toContain(`not written: this no longer counts: ${reason}`);
      expect(await nvim.lua('return vim.bo[...].modified', result)).toBe(true);
      expect(onDisk()).toBe(before);
      await nvim.command('write kept.txt');
      const kept = fs.readFileSync(path.join(path.dirname(file), 'kept.txt'), 'utf8');
      expect(kept).toMatch(/^ten minutes of merging\n/);
      expect(onDisk()).toBe(before);
    },
  );

  it('keeps what is typed while the choice is open', async ({ start }) => {
    const { chat, lines, set, write, answer } = await disagree(start);
    await write(theirs);
    await chat.asked();
    await set(6, 'typed meanwhile');
    await chat.pick('Keep mine');
    expect(await answer()).toBe('answers [{}]');
    expect(await lines()).toEqual(mine.with(3, 'FOUR').with(5, 'typed meanwhile'));
  });

  it('asks again when the same lines are changed meanwhile', async ({ start }) => {
    const { chat, lines, set, write, answer } = await disagree(start);
    await write(theirs);
    await chat.asked();
    await set(1, 'mine again');
    await chat.pick('Take theirs');
    expect(await chat.asked()).toEqual(answers);
    expect((await lines())[0]).toBe('mine again');
    await chat.pick('Keep mine');
    await answer();
    expect((await lines())[0]).toBe('mine again');
  });

  it('is refused at once if that is wanted', async ({ start }) => {
    const { chat, lines, write, answer } = await disagree(start, "{ on_conflict = 'refuse' }");
    await write(theirs);
    expect(await answer()).toMatch(/the user has changed the same lines of .*a\.txt since it was read/);
    expect(await chat.timesAsked).toBe(0);
    expect(await lines()).toEqual(mine);
  });

  it('is merged, and said so, when the lines are others', async ({ start }) => {
    const { chat, nvim, lines, onDisk, isModified, write, answer } = await disagree(start);
    await write(text.replace('four', 'FOUR'));
    await answer();
    expect(await lines()).toEqual(mine.with(3, 'FOUR'));
    expect(onDisk()).toBe(text.replace('four', 'FOUR'));
    expect(await isModified()).toBe(true);
    // The agent does not know of them yet, so the next write does not take them back.
    await write(text.replace('four', 'FOUR').replace('five', 'FIVE'));
    await answer();
    expect(await lines()).toEqual(mine.with(3, 'FOUR').with(4, 'FIVE'));
    expect(await chat.timesAsked).toBe(0);
    const told = (await transcript(nvim)).filter((line) => line.includes('unsaved text'));
    expect(told).toEqual(['· a.txt was changed and merged with your unsaved text, which stays unsaved.']);
  });
});

describe('a file that changes on disk below unsaved text', () => {
  const change = async (nvim: TestNvim, file: string, content: string) => {
    fs.writeFileSync(file, content);
    // Some file systems tell no time finer than a tick.
    fs.utimesSync(file, new Date(), new Date(Date.now() + 5_000));
    await nvim.command('checktime');
  };

  it('is neither asked about nor reloaded, but put together with it', async ({ start }) => {
    const { nvim, file, lines, onDisk, isModified, undo } = await disagree(start);
    await change(nvim, file, text.replace('four', 'DISK'));
    await nvim.waitFor(async () => (await lines())[3] === 'DISK', 'the change');
    expect(await lines()).toEqual(mine.with(3, 'DISK'));
    expect(await isModified()).toBe(true);
    expect(onDisk()).toBe(text.replace('four', 'DISK'));
    await undo();
    expect(await lines()).toEqual(mine);
    await drawn(nvim);
    expect((await transcript(nvim)).join('\n')).toContain(
      'a.txt was changed and merged with your unsaved text',
    );
  });

  it('is a choice of the user where both changed the same lines', async ({ start }) => {
    const { chat, nvim, file, lines } = await disagree(start);
    await change(nvim, file, text.replace('one', 'disk 1'));
    await chat.asked();
    expect(await lines()).toEqual(mine);
    await chat.pick('Keep both, mine first');
    await nvim.waitFor(async () => (await lines()).length === 8, 'both');
    expect(await lines()).toEqual(['mine 1', 'disk 1', ...mine.slice(1)]);
  });

  it('stays as it is when it is deleted', async ({ start }) => {
    const { chat, nvim, file, lines } = await disagree(start);
    fs.rmSync(file);
    await nvim.command('checktime');
    expect(await lines()).toEqual(mine);
    expect(await chat.timesAsked).toBe(0);
  });
});
