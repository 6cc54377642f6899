import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { type ProgrammableChat, startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { drawn, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { screenSnapshot } from '../support/nvim/snapshot.ts';
import { recordNotifications } from '../support/nvim/user.ts';

const text = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
// The releases do not agree on how lines are matched, and on their statusline.
const init = "vim.o.diffopt = 'internal,filler' vim.o.statusline = '%f'";
const size = { columns: 130, lines: 24, files: { 'a.txt': text }, args: ['a.txt'], init };
const answers = [
  'Keep mine',
  'Take theirs',
  'Keep both, mine first',
  'Reject the change',
  'Choose line by line, in a split',
];

/** An agent has read a file, then the user has changed its first and last line. */
async function disagree(start: (options?: NvimOptions) => Promise<TestNvim>, config?: string) {
  const chat = await startProgrammableChat(start, { ...size, ...(config && { config }) });
  const { nvim } = chat;
  const file = await chat.at('a.txt');
  const buf = await nvim.lua<number>("return vim.fn.bufnr('a.txt')");
  await chat.begin({ ask: 'fs/read_text_file', params: { path: file } });
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
    write: (content: string) => chat.begin({ ask: 'fs/write_text_file', params: { path: file, content } }),
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

/** Opens the merge window of a write and types into it. Returns the buffer of the result. */
async function typeMerge({ chat, nvim, write, tabs }: Awaited<ReturnType<typeof disagree>>): Promise<number> {
  await write(theirs);
  await chat.nextLabels();
  await chat.pick('Choose line by line, in a split');
  await tabs(2);
  await nvim.input('ggOten minutes of merging<Esc>');
  await nvim.waitForScreen('ten minutes of merging');
  return nvim.lua<number>('return vim.api.nvim_get_current_buf()');
}

describe('a write in conflict with unsaved text', () => {
  it.for<[string, string[], string]>([
    ['Keep mine', ['mine 1', 'two', 'three', 'FOUR', 'five', 'six', 'mine 7'], text.replace('four', 'FOUR')],
    ['Take theirs', ['theirs 1', 'two', 'three', 'FOUR', 'five', 'six', 'theirs 7'], theirs],
    [
      'Keep both, mine first',
      ['mine 1', 'theirs 1', 'two', 'three', 'FOUR', 'five', 'six', 'mine 7', 'theirs 7'],
      theirs,
    ],
  ])('waits for the choice of the user: %s', async ([choice, expected, saved], { start }) => {
    const { chat, lines, onDisk, write, answer, isModified, undo } = await disagree(start);
    await write(theirs);
    expect(await chat.nextLabels()).toEqual(answers);
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
      await chat.nextLabels();
      await chat.pick('Choose line by line, in a split');
      await tabs(2);
      if (how === 'the user refuses') {
        await nvim.input('q');
        await tabs(1);
        await nvim.command('AcpAnswer');
        await chat.nextLabels();
        await chat.pick('Reject the change');
        expect(await answer()).toMatch(
          /the user has changed the same lines of .*a\.txt and wants to keep theirs; read it again/,
        );
      } else if (how === 'the turn is stopped') {
        await nvim.lua("require('acp.chat.actions').cancel(require('acp.chats').get(1))");
        await answer();
      } else {
        await nvim.lua("require('acp.lifecycle').close(require('acp.chats').get(1))");
      }
      await tabs(1);
      expect(await lines()).toEqual(mine);
      expect(onDisk()).toBe(text);
      const left =
        "return vim.tbl_filter(function(b) return vim.api.nvim_buf_get_name(b):find('acp://conflict') end, vim.api.nvim_list_bufs())";
      await nvim.waitFor(async () => (await nvim.lua<unknown[]>(left)).length === 0, 'no buffer to be left');
    },
  );

  it('tells an agent that has read the unsaved text that the user keeps it', async ({ start }) => {
    const { chat, nvim, file, lines, onDisk, write, answer } = await disagree(start);
    await chat.begin({ ask: 'fs/read_text_file', params: { path: file } });
    await waitForPhase(nvim, 'idle');
    await write(theirs);
    await chat.nextLabels();
    await chat.pick('Reject the change');
    expect(await answer()).toMatch(
      /the user has unsaved text in the same lines of .*a\.txt and wants to keep it/,
    );
    expect(await lines()).toEqual(mine);
    expect(onDisk()).toBe(text);
  });

  it('changes nothing if the agent cancels its call, and other calls go on', async ({ start }) => {
    const { chat, nvim, file, lines, onDisk, answer, tabs } = await disagree(start);
    const withdrawnBy = await chat.at('enough');
    const write = { ask: 'fs/write_text_file', params: { path: file, content: theirs } };
    await chat.begin({ ...write, withdrawnBy }, write);
    await chat.nextLabels();
    await chat.pick('Choose line by line, in a split');
    await tabs(2);
    fs.writeFileSync(withdrawnBy, '');
    await tabs(1);
    expect(await chat.nextLabels()).toEqual(answers);
    expect(await lines()).toEqual(mine);
    expect(onDisk()).toBe(text);
    await chat.pick('Take theirs');
    expect(await answer()).toMatch(/^answers \[\{"code":-32800,.*\},\{\}\]$/);
    expect(onDisk()).toBe(theirs);
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 0"), 'no question');
  });

  it('can be resolved in a split, which stays until all conflicts are resolved', async ({ start }) => {
    const { chat, nvim, lines, onDisk, write, answer, tabs } = await disagree(start);
    await write(theirs);
    await chat.nextLabels();
    await chat.pick('Choose line by line, in a split');
    await tabs(2);
    await nvim.waitForScreen(':w done');
    await nvim.waitForScreen('conflict 2');
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
    await nvim.command('vertical resize 20');
    await nvim.waitForScreen(/ result · :w done {3}│/, 'a title without the keys that do not fit');
    await nvim.command('wincmd =');
    await nvim.waitForScreen('gb both · q later');
    await nvim.input('ga:w<CR>');
    await nvim.waitForScreen('unresolved conflicts: 1');
    await nvim.input('q');
    await tabs(1);
    await chat.goTo('5 Choose line by line, in a split');
    await nvim.input('5');
    await tabs(2);
    await nvim.input('gb');
    await nvim.input('Goby hand<Esc>:w<CR>');
    const expected = ['theirs 1', 'two', 'three', 'FOUR', 'five', 'six', 'mine 7', 'theirs 7', 'by hand'];
    expect(await answer()).toBe('answers [{}]');
    await tabs(1);
    expect(await lines()).toEqual(expected);
    expect(onDisk()).toBe(theirs);
  });

  it.for<[string, string, string[]]>([
    ['the window of the result was closed', ':quit<CR>', ['typed', ...mine.with(3, 'FOUR')]],
    ['the result was deleted', ':bdelete!<CR>', mine.with(3, 'FOUR')],
    ['the result was wiped out', ':bwipeout!<CR>', mine.with(3, 'FOUR')],
    ['a side was deleted', '<C-w>h:bdelete<CR>', ['typed', ...mine.with(3, 'FOUR')]],
  ])('shows the split again after %s', async ([, keys, expected], { start }) => {
    const { chat, nvim, lines, write, answer, tabs } = await disagree(start);
    await write(theirs);
    await chat.nextLabels();
    await chat.pick('Choose line by line, in a split');
    await tabs(2);
    await nvim.input(`ggOtyped<Esc>${keys}`);
    const windows = () => nvim.lua('return #vim.api.nvim_tabpage_list_wins(0)');
    await nvim.waitFor(async () => (await windows()) === 2, 'two windows');
    await nvim.command('AcpAnswer');
    await chat.nextLabels();
    await chat.pick('Choose line by line, in a split');
    await nvim.waitFor(async () => (await windows()) === 3, 'three windows');
    await nvim.input('ggVGgm:w<CR>');
    expect(await answer()).toBe('answers [{}]');
    await tabs(1);
    expect(await lines()).toEqual(expected);
  });

  it.for<[string, string, (chat: ProgrammableChat) => Promise<unknown>]>([
    ['the turn is stopped', 'the turn has ended', ({ nvim }) => nvim.command('AcpCancel')],
    ['the chat is closed', 'its chat was closed', ({ nvim }) => nvim.command('AcpClose')],
    [
      'it is answered otherwise',
      'it was answered: Keep mine',
      async (chat) => {
        await chat.nvim.command('AcpAnswer');
        await chat.nextLabels();
        await chat.pick('Keep mine');
        await waitForPhase(chat.nvim, 'idle');
      },
    ],
  ])('keeps an open merge window and says why it no longer counts: %s', async (row, { start }) => {
    const [, reason, end] = row;
    const disagreement = await disagree(start);
    const { chat, nvim, file, onDisk } = disagreement;
    await nvim.lua(recordNotifications);
    const result = await typeMerge(disagreement);
    await end(chat);
    await nvim.waitForScreen('will not be applied · :w {file} saves it');
    const said = async () => (await nvim.lua<string[]>('return _G.said')).join('\n');
    expect(await said()).toContain(
      `the merge of a.txt will not be applied: ${reason}; :w {file} saves the text`,
    );
    expect((await nvim.lines(result))[0]).toBe('ten minutes of merging');
    await nvim.lua('vim.api.nvim_set_current_win(vim.fn.win_findbuf(...)[1])', result);
    const before = onDisk();
    await nvim.command('write');
    expect(await said()).toContain(`not written: the result will not be applied: ${reason}`);
    expect(await nvim.lua('return vim.bo[...].modified', result)).toBe(true);
    expect(onDisk()).toBe(before);
    await nvim.command('write kept.txt');
    const kept = fs.readFileSync(path.join(path.dirname(file), 'kept.txt'), 'utf8');
    expect(kept).toMatch(/^ten minutes of merging\n/);
    expect(onDisk()).toBe(before);
  });

  it('says why a merge no longer counts in a window that shows it later', async ({ start }) => {
    const disagreement = await disagree(start);
    const { nvim, tabs } = disagreement;
    const result = await typeMerge(disagreement);
    await nvim.input('q');
    await tabs(1);
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    await nvim.command('wincmd t');
    await nvim.command(`buffer ${result}`);
    await nvim.waitForScreen('will not be applied · :w {file} saves it');
  });

  it('keeps text that is typed while the question is open', async ({ start }) => {
    const { chat, lines, set, write, answer } = await disagree(start);
    await write(theirs);
    await chat.nextLabels();
    await set(6, 'typed meanwhile');
    await chat.pick('Keep mine');
    expect(await answer()).toBe('answers [{}]');
    expect(await lines()).toEqual(mine.with(3, 'FOUR').with(5, 'typed meanwhile'));
  });

  it('asks again if the same lines change meanwhile', async ({ start }) => {
    const { chat, lines, set, write, answer } = await disagree(start);
    await write(theirs);
    await chat.nextLabels();
    await set(1, 'mine again');
    await chat.pick('Take theirs');
    expect(await chat.nextLabels()).toEqual(answers);
    expect((await lines())[0]).toBe('mine again');
    await chat.pick('Keep mine');
    await answer();
    expect((await lines())[0]).toBe('mine again');
  });

  it('is refused immediately with on_conflict = refuse', async ({ start }) => {
    const { chat, lines, write, answer } = await disagree(start, "{ on_conflict = 'refuse' }");
    await write(theirs);
    expect(await answer()).toMatch(/the user has changed the same lines of .*a\.txt since it was read/);
    expect(await chat.timesAsked).toBe(0);
    expect(await lines()).toEqual(mine);
  });

  it('is none if the agent writes again what the user has undone and saved', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const file = chat.at('a.txt');
    const write = { ask: 'fs/write_text_file', params: { path: file, content: theirs } };
    await chat.begin(write);
    await waitForPhase(nvim, 'idle');
    await nvim.command('wincmd t | silent undo | silent write');
    expect(fs.readFileSync(file, 'utf8')).toBe(text);
    await chat.begin(write);
    await nvim.waitFor(() => fs.readFileSync(file, 'utf8') === theirs, 'the file to be written again');
    await waitForPhase(nvim, 'idle');
    expect(await nvim.lua('return vim.bo.modified')).toBe(false);
    expect(await nvim.lines()).toEqual(theirs.trim().split('\n'));
    expect(await chat.timesAsked).toBe(0);
  });

  it('is merged with a notice if other lines are unsaved', async ({ start }) => {
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

describe('a file that changes on disk under unsaved text', () => {
  const change = async (nvim: TestNvim, file: string, content: string) => {
    fs.writeFileSync(file, content);
    // Some file systems tell no time finer than a tick.
    fs.utimesSync(file, new Date(), new Date(Date.now() + 5_000));
    await nvim.command('checktime');
  };

  it('is merged without a question or a reload', async ({ start }) => {
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

  it('asks the user if both changed the same lines', async ({ start }) => {
    const { chat, nvim, file, lines } = await disagree(start);
    await change(nvim, file, text.replace('one', 'disk 1'));
    await chat.nextLabels();
    expect(await lines()).toEqual(mine);
    await chat.pick('Keep both, mine first');
    await nvim.waitFor(async () => (await lines()).length === 8, 'both');
    expect(await lines()).toEqual(['mine 1', 'disk 1', ...mine.slice(1)]);
  });

  it('keeps the buffer if it is deleted', async ({ start }) => {
    const { chat, nvim, file, lines } = await disagree(start);
    fs.rmSync(file);
    await nvim.command('checktime');
    expect(await lines()).toEqual(mine);
    expect(await chat.timesAsked).toBe(0);
  });
});
