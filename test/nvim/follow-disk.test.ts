import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect } from 'vitest';
import { NvimEditor } from '../../src/nvim/editor.ts';
import { OpenBuffers } from '../../src/workspace/open-buffers.ts';
import { drawn, transcript, waitForPhase } from '../support/chat.ts';
import { LogDouble } from '../support/doubles.ts';
import { hasGit } from '../support/git.ts';
import { it } from '../support/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim.ts';
import { Chooser, recordSelect } from '../support/obeying.ts';
import { startWorker } from '../support/worker.ts';

const text = 'one\ntwo\nthree\nfour\nfive\n';
const files = { 'a.txt': text };

const options = [
  'Keep mine',
  'Take what is on disk',
  'Keep both, mine first',
  'Leave both as they are',
  'Choose line by line, in a split',
];

/** The user asks for the question that waits. */
async function askedIn(nvim: TestNvim, user: Chooser) {
  await nvim.waitForScreen('? Changed on disk and here');
  await nvim.waitFor(
    () => nvim.lua("return require('acp.chats').current().waiting > 0"),
    'a question to wait',
  );
  await nvim.command('AcpAnswer');
  return user.asked();
}

/** The user has unsaved text in a line that the agent then changes on disk. */
async function contradict(start: (options?: NvimOptions) => Promise<TestNvim>, config?: string) {
  const worker = await startWorker(start, { files, init: recordSelect, ...(config && { config }) });
  const { nvim } = worker;
  const user = new Chooser(nvim);
  await nvim.command('wincmd t | edit a.txt | call setline(2, "two, mine")');
  await worker.does(['sh', 'sed -i "s/two/TWO/" a.txt'], ['sh', 'echo > b.txt']);
  const asked = () => askedIn(nvim, user);
  const becomes = (...lines: string[]) =>
    nvim.waitFor(async () => isDeepStrictEqual(await worker.buffer('a.txt'), lines), `${lines}`);
  const isModified = () => nvim.lua('return vim.bo[vim.fn.bufnr(...)].modified', worker.at('a.txt'));
  return { worker, nvim, user, asked, becomes, isModified };
}

describe.skipIf(!hasGit)('unsaved text in lines that the agent changes on disk', () => {
  it.for<[string, string[], boolean]>([
    ['Keep mine', ['one', 'two, mine', 'three', 'four', 'five'], true],
    ['Take what is on disk', ['one', 'TWO', 'three', 'four', 'five'], false],
    ['Keep both, mine first', ['one', 'two, mine', 'TWO', 'three', 'four', 'five'], true],
  ])('is the choice of the user, also after the turn: %s', async ([choice, lines, isUnsaved], { start }) => {
    const { worker, nvim, user, asked, becomes, isModified } = await contradict(start);
    expect(await asked()).toEqual(options);
    expect(await worker.buffer('a.txt')).toEqual(['one', 'two, mine', 'three', 'four', 'five']);
    expect(worker.onDisk('a.txt')).toBe(text.replace('two', 'TWO'));
    await user.pick(choice);
    await becomes(...lines);
    const isCurrent = "return require('acp.buffers').read(...).isCurrent";
    await nvim.waitFor(() => nvim.lua(isCurrent, worker.at('a.txt')), 'the choice to be taken');
    expect(await isModified()).toBe(isUnsaved);
    expect(worker.onDisk('a.txt')).toBe(text.replace('two', 'TWO'));
    await nvim.command('silent write');
    expect(worker.onDisk('a.txt')).toBe(`${lines.join('\n')}\n`);
    await nvim.command('undo');
    expect((await worker.buffer('a.txt'))[1]).toBe('two, mine');
    expect(await user.timesAsked).toBe(1);
  });

  it('can be settled in a split, and what is typed meanwhile stays', async ({ start }) => {
    const { worker, nvim, user, asked, becomes } = await contradict(start);
    await asked();
    await user.pick('Choose line by line, in a split');
    await nvim.waitForScreen('conflict 1');
    await nvim.waitForScreen('theirs, on disk');
    await nvim.lua(
      `vim.api.nvim_buf_set_lines(vim.fn.bufnr(...), 4, 5, true, { 'five, later' })`,
      worker.at('a.txt'),
    );
    await nvim.input('ga:w<CR>');
    await becomes('one', 'TWO', 'three', 'four', 'five, later');
  });

  it('is asked about anew when the file changes again, and only of what is there now', async ({ start }) => {
    const { worker, nvim, user, asked, becomes } = await contradict(start);
    await asked();
    await worker.does(['sh', 'sed -i "s/TWO/2/" a.txt']);
    await nvim.waitForScreen('no longer asked');
    await asked();
    await drawn(nvim);
    expect((await transcript(nvim)).filter((line) => line.includes('no longer asked'))).toHaveLength(1);
    await user.pick('Keep both, mine first');
    await becomes('one', 'two, mine', '2', 'three', 'four', 'five');
    expect(await user.timesAsked).toBe(2);
  });

  it('is left alone if the user wants that: nobody asks again, and the agent does not write over it', async ({
    start,
  }) => {
    const { worker, nvim, user, asked } = await contradict(start);
    await asked();
    await user.pick('Leave both as they are');
    await nvim.waitForScreen('both are as they were');
    expect((await transcript(nvim)).join('\n')).not.toContain('Rejected');
    await worker.does(['sh', 'echo >> b.txt'], ['write', 'a.txt', text.replace('five', 'FIVE')]);
    await drawn(nvim);
    expect((await transcript(nvim)).join(' ')).toMatch(/unsaved text in .* that contradicts what is on disk/);
    expect(await worker.buffer('a.txt')).toEqual(['one', 'two, mine', 'three', 'four', 'five']);
    expect(worker.onDisk('a.txt')).toBe(text.replace('two', 'TWO'));
    expect(await user.timesAsked).toBe(1);
  });

  it.for([
    ['edit!', 'one\nTWO\nthree\nfour\nfive\n'],
    ['silent write!', 'one\ntwo, mine\nthree\nfour\nfive\n'],
  ])('is settled by :%s too', async ([command, content], { start }) => {
    const { worker, nvim, asked } = await contradict(start);
    await asked();
    await nvim.command(command!);
    await nvim.waitForScreen('no longer asked');
    expect(worker.onDisk('a.txt')).toBe(content);
    expect(`${(await worker.buffer('a.txt')).join('\n')}\n`).toBe(content);
  });

  it('is told, not asked about, if no question is wanted', async ({ start }) => {
    const { worker, nvim, user } = await contradict(start, "{ on_conflict = 'refuse' }");
    await nvim.waitForScreen('both are as they were');
    expect(await worker.buffer('a.txt')).toEqual(['one', 'two, mine', 'three', 'four', 'five']);
    expect(await user.timesAsked).toBe(0);
  });

  it('can be had back in the review when what is on disk was taken', async ({ start }) => {
    const { worker, nvim, user, asked, becomes } = await contradict(start);
    await asked();
    await user.pick('Take what is on disk');
    await becomes('one', 'TWO', 'three', 'four', 'five');
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +1  -1', /b\.txt/);
    await nvim.input('X');
    await worker.waitForDisk('a.txt', text.replace('two', 'two, mine'));
  });

  it('is asked about once, however many chats are open', async ({ start }) => {
    const worker = await startWorker(start, { files, init: recordSelect });
    const { nvim } = worker;
    await worker.does(['sh', 'true']);
    await nvim.command('wincmd t | edit a.txt | call setline(2, "two, mine")');
    await nvim.command('AcpNew');
    await worker.begins(['sh', 'sed -i "s/two/TWO/" a.txt']);
    await nvim.waitForScreen('Changed on disk and here');
    await nvim.command('stopinsert | AcpChat worker');
    await worker.does(['sh', 'echo > b.txt']);
    const waiting =
      'return vim.tbl_map(function(id) return require("acp.chats").get(id).waiting end, { 1, 2 })';
    expect(await nvim.lua(waiting)).toEqual([0, 1]);
  });

  it('is no question of Neovim when it looks first', async ({ start }) => {
    const worker = await startWorker(start, {
      files: { ...files, '.gitignore': 'go\nthere\n' },
      init: recordSelect,
    });
    const { nvim } = worker;
    const user = new Chooser(nvim);
    await nvim.command('wincmd t | edit a.txt | call setline(2, "two, mine")');
    await worker.begins(['wait', 'go'], ['sh', 'sed -i "s/two/TWO/" a.txt; touch there']);
    await nvim.waitFor(
      () => nvim.lua("return #vim.api.nvim_get_autocmds({ event = 'FileChangedShell', buffer = 0 }) > 0"),
      'the guard',
    );
    await nvim.lua(`
      vim.fn.writefile({}, 'go')
      vim.wait(10000, function() return vim.uv.fs_stat('there') ~= nil end, 1, true)
      vim.cmd('checktime')`);
    expect(await askedIn(nvim, user)).toEqual(options);
    await waitForPhase(nvim, 'idle');
    expect(await nvim.messages()).not.toMatch(/W1[12]/);
    expect(await user.timesAsked).toBe(1);
  });
});

it('a write that was taken back before it waits for a choice does not wait', async ({ start }) => {
  const nvim = await start({ files: { 'a.txt': text } });
  await nvim.command('edit a.txt');
  const editor = new NvimEditor(nvim.client, new LogDouble());
  const buffers = new OpenBuffers(editor, { settle: () => new Promise(() => undefined) });
  const file = await nvim.lua<string>("return vim.uv.fs_realpath('a.txt')");
  await buffers.catchUp(file);
  await nvim.command('call setline(2, "mine")');
  fs.writeFileSync(file, text.replace('two', 'theirs'));
  await expect(buffers.agree(file, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
});

it('an open file that git ignores follows too', async ({ start }) => {
  const ignored = { '.gitignore': '.env\n', '.env': 'KEY=1\n' };
  const worker = await startWorker(start, { files: ignored });
  await worker.nvim.command('wincmd t | edit .env | setlocal nomodifiable');
  await worker.begins(['sh', 'sleep 0.1; echo KEY=2 > .env'], ['wait', 'go']);
  await worker.nvim.waitFor(async () => (await worker.buffer('.env'))[0] === 'KEY=2', 'the buffer to follow');
  expect(await worker.nvim.lua('return { vim.bo.modifiable, vim.bo.modified }')).toEqual([false, false]);
  await worker.nvim.command('call writefile([], "go")');
  await waitForPhase(worker.nvim, 'idle');
});

describe.skipIf(!hasGit)('a buffer whose file the agent changes on disk', () => {
  it('follows by the smallest edits, as one undo step, and is saved without a question', async ({
    start,
  }) => {
    const worker = await startWorker(start, { files });
    const { nvim } = worker;
    await nvim.lua(`
      vim.cmd('wincmd t | edit a.txt')
      vim.api.nvim_win_set_cursor(0, { 4, 2 })
      _G.ns = vim.api.nvim_create_namespace('test')
      _G.mark = vim.api.nvim_buf_set_extmark(0, _G.ns, 4, 1, {})`);
    await worker.does(['sh', 'sed -i -e "s/two/TWO/" -e 1izero a.txt']);
    await nvim.waitFor(async () => (await worker.buffer('a.txt'))[0] === 'zero', 'the buffer to follow');
    expect(
      await nvim.lua(
        'return { vim.bo.modified, vim.api.nvim_win_get_cursor(0), vim.api.nvim_buf_get_extmark_by_id(0, _G.ns, _G.mark, {}), vim.go.autoread }',
      ),
    ).toEqual([false, [5, 2], [5, 1], true]);
    await nvim.command('call setline(6, "mine") | write');
    expect(worker.onDisk('a.txt')).toBe('zero\none\nTWO\nthree\nfour\nmine\n');
    await nvim.command('undo | undo');
    expect(await worker.buffer('a.txt')).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(await nvim.messages()).not.toMatch(/W1[12]|changed since/);
  });

  it('keeps what is unsaved in it, unsaved, and the cursor in it', async ({ start }) => {
    const worker = await startWorker(start, { files });
    const { nvim } = worker;
    await nvim.command('wincmd t | edit a.txt | call setline(5, "five, mine") | call cursor(5, 8)');
    await worker.does(['sh', 'sed -i -e "s/two/TWO/" -e 1izero a.txt']);
    await nvim.waitFor(async () => (await worker.buffer('a.txt'))[0] === 'zero', 'the buffer to follow');
    expect(await worker.buffer('a.txt')).toEqual(['zero', 'one', 'TWO', 'three', 'four', 'five, mine']);
    expect(await nvim.lua('return { vim.bo.modified, vim.api.nvim_win_get_cursor(0) }')).toEqual([
      true,
      [6, 7],
    ]);
    expect(worker.onDisk('a.txt')).toBe('zero\none\nTWO\nthree\nfour\nfive\n');
    await nvim.command('undo');
    expect(await worker.buffer('a.txt')).toEqual(['one', 'two', 'three', 'four', 'five, mine']);
    await nvim.command('redo');
    await worker.does(['sh', 'sed -i "s/three/THREE/" a.txt']);
    await nvim.waitFor(async () => (await worker.buffer('a.txt'))[3] === 'THREE', 'the buffer to follow');
    await nvim.command('write');
    expect(worker.onDisk('a.txt')).toBe('zero\none\nTWO\nTHREE\nfour\nfive, mine\n');
    const told = (await transcript(nvim)).filter((line) => line.includes('a.txt was changed and merged'));
    expect(told).toHaveLength(1);
  });

  it('that was opened after the change is no conflict, and what is in it is told apart', async ({
    start,
  }) => {
    const worker = await startWorker(start, { files: { ...files, '.gitignore': 'go\non\nthere\n' } });
    await worker.begins(['wait', 'go'], ['sh', 'sed -i "s/two/TWO/" a.txt; touch there'], ['wait', 'on']);
    await worker.nvim.command('wincmd t');
    // The end of the command is not yet known when the file is opened: Neovim is busy until it has been.
    await worker.nvim.lua(`
      vim.fn.writefile({}, 'go')
      vim.wait(10000, function() return vim.uv.fs_stat('there') ~= nil end, 1, true)
      vim.cmd('edit a.txt | call setline(4, "four, mine")')
      vim.fn.writefile({}, 'on')`);
    await worker.nvim.waitFor(async () => (await worker.buffer('a.txt'))[3] === 'four, mine', 'the text');
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +1  -1');
    expect(await worker.buffer('a.txt')).toEqual(['one', 'TWO', 'three', 'four, mine', 'five']);
    await worker.nvim.input('X');
    await worker.waitForDisk('a.txt', 'one\ntwo\nthree\nfour, mine\nfive\n');
  });

  it('follows while the command still runs', async ({ start }) => {
    const worker = await startWorker(start, { files: { ...files, '.gitignore': 'go\non\n' } });
    await worker.nvim.command('wincmd t | edit a.txt');
    const until = (name: string) => `while [ ! -e ${name} ]; do sleep 0.05; done`;
    await worker.begins(['sh', `${until('on')}; echo six >> a.txt; ${until('go')}`]);
    await waitForPhase(worker.nvim, 'running');
    await worker.nvim.waitForScreen('● run');
    await worker.nvim.command('call writefile([], "on")');
    await worker.nvim.waitFor(
      async () => (await worker.buffer('a.txt')).length === 6,
      'the buffer to follow',
    );
    await worker.nvim.command('call writefile([], "go")');
    await waitForPhase(worker.nvim, 'idle');
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +1  -0');
  });

  it('follows what is written in the very moment it does, without a question', async ({ start }) => {
    const worker = await startWorker(start, { files });
    const { nvim } = worker;
    await nvim.lua(`
      vim.cmd('wincmd t | edit a.txt | call setline(5, "five, mine")')
      local set_time = vim.uv.fs_utime
      vim.uv.fs_utime = function(path, ...)
        vim.uv.fs_utime = set_time
        vim.fn.writefile({ 'ONE', 'Two.', 'three', 'four', 'five' }, path)
        return set_time(path, ...)
      end`);
    await worker.does(['sh', 'sed -i "s/two/TWO./" a.txt']);
    await worker.does(['sh', 'true']);
    await nvim.waitFor(async () => (await worker.buffer('a.txt'))[0] === 'ONE', 'the buffer to follow');
    expect(await worker.buffer('a.txt')).toEqual(['ONE', 'Two.', 'three', 'four', 'five, mine']);
    await nvim.command('silent write');
    expect(worker.onDisk('a.txt')).toBe('ONE\nTwo.\nthree\nfour\nfive, mine\n');
  });

  it('is told by a question of Neovim no more than by us', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.nvim.command('wincmd t | edit a.txt | split | set noautoread');
    await worker.does(['sh', 'echo six >> a.txt'], ['sh', 'echo seven >> a.txt'], ['sh', 'sed -i 1d a.txt']);
    await worker.nvim.waitFor(
      async () => (await worker.buffer('a.txt'))[0] === 'two',
      'the buffer to follow',
    );
    await worker.nvim.command('checktime');
    expect(await worker.buffer('a.txt')).toEqual(['two', 'three', 'four', 'five', 'six', 'seven']);
    expect(await worker.nvim.messages()).not.toMatch(/W1[126]/);
    expect(await worker.nvim.lua('return vim.go.autoread')).toBe(false);
  });
});
