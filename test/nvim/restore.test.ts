import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { hasGit, snapshotOf } from '../support/git.ts';
import { it } from '../support/it.ts';
import { startWorker, type Worker } from '../support/worker.ts';

/** Takes the item of a picker that the test names, and notes all pickers. */
const init = `
  _G.picked, _G.pickers = {}, {}
  vim.ui.select = function(items, options, done)
    local labels = vim.tbl_map(options.format_item, items)
    table.insert(_G.pickers, { prompt = options.prompt, labels = labels })
    local wanted = table.remove(_G.picked, 1)
    for index, label in ipairs(labels) do
      if wanted and label:find(wanted, 1, true) then
        return done(items[index], index)
      end
    end
  end`;
const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' };

async function restore({ nvim }: Worker, command: string, ...choices: readonly string[]): Promise<void> {
  await nvim.lua('_G.picked, _G.pickers = ..., {}', choices);
  await nvim.command(command);
  const taken = () => nvim.lua<boolean>('return #_G.pickers >= ... and #_G.picked == 0', choices.length);
  await nvim.waitFor(taken, `${choices.length} pickers`);
}

const pickers = ({ nvim }: Worker) => nvim.lua<{ prompt: string; labels: string[] }[]>('return _G.pickers');

describe('going back to a prompt', () => {
  it.for([true, false].filter((isRepository) => hasGit || !isRepository))(
    'lists them, shows what would change, puts files and buffers back, and can be undone (repository: %s)',
    async (isRepository, { start }) => {
      const worker = await startWorker(start, { files, init, isRepository });
      await worker.nvim.command('wincmd t | edit a.txt');
      await worker.does(['sh', 'echo ONE > a.txt; rm b.txt; echo new > d.txt']);
      await worker.does(['disk', 'c.txt', 'THREE\n']);
      const before = isRepository ? snapshotOf(worker.folder) : undefined;
      await restore(worker, 'AcpRestore', '  [["sh"');
      await worker.nvim.waitFor(async () => (await pickers(worker)).length === 2, 'the question');
      const [list, question] = await pickers(worker);
      expect(list!.labels.map((label) => label.replace(/^\d\d:\d\d /, ''))).toEqual([
        ' [["disk","c.txt","THREE\\n"]]  (1 file changed)',
        ' [["sh","echo ONE > a.txt; rm b.txt; echo new > …  (3 files changed)',
      ]);
      expect(question).toEqual({
        prompt: '4 files would change',
        labels: ['Restore 4 files', 'Read the diff first', 'Cancel'],
      });
      await worker.nvim.waitForScreen(/-ONE\s+│?/);
      await restore(worker, 'AcpRestore', '  [["sh"', 'Restore 4 files');
      await worker.waitForDisk('c.txt', 'three\n');
      await worker.waitForDisk('d.txt', undefined);
      await worker.nvim.waitForScreen('4 files are as before');
      for (const [name, content] of Object.entries(files)) expect(worker.onDisk(name)).toBe(content);
      expect(await worker.buffer('a.txt')).toEqual(['one']);
      if (before) {
        const { status, ...own } = snapshotOf(worker.folder);
        expect(status).toBe('');
        expect(own).toEqual({ ...before, status: undefined, ...own });
        expect({ ...own, status: before.status }).toEqual(before);
      }
      await restore(worker, 'AcpRestore undo', 'Restore 4 files');
      await worker.waitForDisk('a.txt', 'ONE\n');
      await worker.waitForDisk('b.txt', undefined);
      await worker.waitForDisk('c.txt', 'THREE\n');
      await worker.waitForDisk('d.txt', 'new\n');
    },
  );

  it('takes along the buffers of files that go and come', async ({ start }) => {
    const worker = await startWorker(start, { files, init, isRepository: false });
    await worker.nvim.command('wincmd t | edit b.txt');
    await worker.does(['sh', 'rm b.txt; echo new > d.txt']);
    await worker.nvim.command('split d.txt');
    await restore(worker, 'AcpRestore', '  [["sh"', 'Restore 2 files');
    await worker.waitForDisk('b.txt', 'two\n');
    await worker.waitForDisk('d.txt', undefined);
    const isLoaded = (name: string) =>
      worker.nvim.lua<boolean>('return vim.fn.bufloaded(...) == 1', worker.at(name));
    await worker.nvim.waitFor(async () => !(await isLoaded('d.txt')), 'the buffer to go');
    expect(await worker.buffer('b.txt')).toEqual(['two']);
    await worker.nvim.command('checktime');
    await restore(worker, 'AcpRestore undo', 'Restore 2 files');
    await worker.waitForDisk('b.txt', undefined);
    await worker.waitForDisk('d.txt', 'new\n');
    await worker.nvim.waitFor(async () => !(await isLoaded('b.txt')), 'the other buffer to go');
    expect(await worker.nvim.messages()).not.toMatch(/E\d+|W\d+/);
  });

  it('leaves alone what the user changed since, unless they agree', async ({ start }) => {
    const worker = await startWorker(start, { files, init, isRepository: hasGit });
    await worker.does(['sh', 'echo ONE > a.txt; echo TWO > b.txt; echo THREE > c.txt']);
    await worker.nvim.command('wincmd t | edit b.txt | call setline(1, "mine") | write');
    await worker.nvim.command('edit c.txt | call setline(1, "unsaved")');
    await restore(worker, 'AcpRestore', '  [["sh"', 'leave what you changed');
    await worker.waitForDisk('a.txt', 'one\n');
    expect((await pickers(worker))[1]).toEqual({
      prompt: '3 files would change; changed by you since: b.txt, c.txt',
      labels: [
        'Restore 1 file, leave what you changed',
        'Restore all 3 files, yours too',
        'Read the diff first',
        'Cancel',
      ],
    });
    expect(worker.onDisk('b.txt')).toBe('mine\n');
    expect(await worker.buffer('c.txt')).toEqual(['unsaved']);
    await restore(worker, 'AcpRestore', '  [["sh"', 'yours too');
    await worker.waitForDisk('b.txt', 'two\n');
    await worker.waitForDisk('c.txt', 'three\n');
    await worker.nvim.command('undo');
    expect(await worker.buffer('c.txt')).toEqual(['unsaved']);
  });

  it.for<['write' | 'disk' | 'twice', boolean]>([
    ['write', false],
    ['disk', false],
    ['twice', false],
    ['write', true],
  ])(
    'keeps text that was unsaved then: agent uses %s, saved since: %s',
    async ([how, isSaved], { start }) => {
      const text = 'one\ntwo\nthree\nfour\nfive\n';
      const worker = await startWorker(start, { files: { 'a.txt': text }, init, isRepository: hasGit });
      const { nvim } = worker;
      const isModified = () => nvim.lua('return vim.bo[vim.fn.bufnr(...)].modified', worker.at('a.txt'));
      const mine = ['one', 'two', 'three', 'four', 'five', 'mine'];
      await nvim.command('wincmd t | edit a.txt | call append("$", "mine")');
      const changed = text.replace('two', 'TWO');
      await worker.does(how === 'twice' ? [how, 'a.txt', changed, 'client first'] : [how, 'a.txt', changed]);
      await nvim.waitFor(async () => (await worker.buffer('a.txt'))[1] === 'TWO', 'the change');
      if (isSaved) await nvim.command('silent write');
      await restore(worker, 'AcpRestore', `  [["${how}"`, 'Restore');
      await worker.waitForDisk('a.txt', text);
      expect(await worker.buffer('a.txt')).toEqual(mine);
      expect(await isModified()).toBe(true);
      const since = isSaved ? '; changed by you since: a.txt' : '';
      expect((await pickers(worker))[1]!.prompt).toBe(
        `1 file would change; your unsaved text stays, unsaved: a.txt${since}`,
      );
      await nvim.waitForScreen('1 file is as before');
      await restore(worker, 'AcpRestore undo', 'Restore');
      await worker.waitForDisk('a.txt', isSaved ? `${changed}mine\n` : changed);
      expect(await worker.buffer('a.txt')).toEqual(mine.with(1, 'TWO'));
      await nvim.command('silent write');
      expect(worker.onDisk('a.txt')).toBe(`${changed}mine\n`);
    },
  );

  it('keeps text that was unsaved then in the preview too', async ({ start }) => {
    const files = { 'a.txt': 'one\ntwo\nthree\n' };
    const worker = await startWorker(start, { files, init, isRepository: false });
    await worker.nvim.command('wincmd t | edit a.txt | call append("$", "mine")');
    await worker.does(['write', 'a.txt', 'ONE\ntwo\nthree\n']);
    await restore(worker, 'AcpRestore', '  [["write"', 'Read the diff');
    await worker.nvim.waitForScreen('q: back to the question');
    expect(await worker.nvim.lines()).toEqual([
      'a.txt  is put back; your unsaved text stays, unsaved',
      ...['', '--- a/a.txt', '+++ b/a.txt', '@@ -1,4 +1,4 @@', '-ONE', '+one', ' two', ' three', ' mine'],
    ]);
  });

  it('names what was typed since, and leaves it alone', async ({ start }) => {
    const files = { 'a.txt': 'one\ntwo\nthree\nfour\n' };
    const worker = await startWorker(start, { files, init, isRepository: false });
    await worker.nvim.command('wincmd t | edit a.txt | call append("$", "mine")');
    await worker.does(['write', 'a.txt', 'ONE\ntwo\nthree\nfour\n']);
    await worker.nvim.command('call setline(3, "typed since")');
    await restore(worker, 'AcpRestore', '  [["write"');
    await worker.nvim.waitFor(async () => (await pickers(worker)).length === 2, 'the question');
    expect((await pickers(worker))[1]).toMatchObject({
      prompt: '1 file would change; your unsaved text stays, unsaved: a.txt; changed by you since: a.txt',
      labels: ['Restore 1 file, yours too', 'Read the diff first', 'Cancel'],
    });
  });

  it('lets the diff be read first, and leaves nothing when it is not wanted', async ({ start }) => {
    const worker = await startWorker(start, { files, init, isRepository: false });
    await worker.does(['sh', 'printf "\\tONE\\n" > a.txt; chmod +x b.txt']);
    await restore(worker, 'AcpRestore', '  [["sh"', 'Read the diff');
    await worker.nvim.waitForScreen('q: back to the question');
    expect(await worker.nvim.lines()).toEqual([
      'a.txt  is put back',
      'b.txt  is put back, not executable',
      ...['', '--- a/a.txt', '+++ b/a.txt', '@@ -1,1 +1,1 @@', '-\tONE', '+one'],
      ...['', '--- a/b.txt', '+++ b/b.txt'],
    ]);
    await worker.nvim.lua("_G.picked, _G.pickers = { 'Cancel' }, {}");
    await worker.nvim.input('q');
    await worker.nvim.waitFor(async () => (await pickers(worker)).length === 1, 'the question');
    await worker.nvim.waitForScreen((screen) => !screen.includes('is put back'));
    expect(worker.onDisk('a.txt')).toBe('\tONE\n');
  });

  it('says so when there is nothing to go back to', async ({ start }) => {
    const worker = await startWorker(start, { files, init, isRepository: false });
    await worker.nvim.command('AcpRestore');
    await worker.nvim.waitForScreen('nothing to go back to yet');
    expect(fs.readdirSync(worker.folder)).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });
});
