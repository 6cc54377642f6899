import { describe, expect } from 'vitest';
import { waitForPhase } from '../support/chat.ts';
import { hasGit } from '../support/git.ts';
import { it } from '../support/it.ts';
import { startWorker } from '../support/worker.ts';

const text = 'one\ntwo\nthree\nfour\nfive\n';
const files = { 'a.txt': text };

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
    await nvim.command('redo | write');
    expect(worker.onDisk('a.txt')).toBe('zero\none\nTWO\nthree\nfour\nfive, mine\n');
  });

  it('is left as it is when the same lines are unsaved, and that is told once', async ({ start }) => {
    const init = `
      _G.told = {}
      vim.notify = function(message) table.insert(_G.told, message) end`;
    const worker = await startWorker(start, { files, init });
    await worker.nvim.command('wincmd t | edit a.txt | call setline(2, "two, mine")');
    await worker.does(['sh', 'sed -i "s/two/TWO/" a.txt'], ['sh', 'echo > b.txt']);
    const told = () => worker.nvim.lua<string[]>('return _G.told');
    await worker.nvim.waitFor(async () => (await told()).length > 0, 'the message');
    await worker.review();
    expect(await told()).toEqual([
      expect.stringMatching(/a\.txt was changed on disk where you have unsaved text/),
    ]);
    expect(await worker.buffer('a.txt')).toEqual(['one', 'two, mine', 'three', 'four', 'five']);
    expect(worker.onDisk('a.txt')).toBe(text.replace('two', 'TWO'));
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
