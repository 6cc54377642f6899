import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { type ProgrammableChat, startEditingChat } from '../support/agents/programmable-chat.ts';
import { it } from '../support/nvim/it.ts';
import { hasGit, snapshotOf } from '../support/system/git.ts';

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

async function restore(
  { nvim }: ProgrammableChat,
  command: string,
  ...choices: readonly string[]
): Promise<void> {
  await nvim.lua('_G.picked, _G.pickers = ..., {}', choices);
  await nvim.command(command);
  const taken = () => nvim.lua<boolean>('return #_G.pickers >= ... and #_G.picked == 0', choices.length);
  await nvim.waitFor(taken, `${choices.length} pickers`);
}

const pickers = ({ nvim }: ProgrammableChat) =>
  nvim.lua<{ prompt: string; labels: string[] }[]>('return _G.pickers');

describe('the files of a folder', () => {
  it('are copied when the user begins to write a prompt, before it is sent', async ({ start }) => {
    const { nvim } = await startEditingChat(start, { files, init, isRepository: false });
    const copies = () =>
      fs
        .readdirSync(nvim.sandbox.env.XDG_STATE_HOME!, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.includes('/blobs/'));
    expect(copies()).toEqual([]);
    await nvim.command('AcpChat');
    await nvim.input('h');
    await nvim.waitFor(() => copies().length >= Object.keys(files).length, 'the copies');
  });
});

describe(':AcpRestore', () => {
  it.for([true, false].filter((isRepository) => hasGit || !isRepository))(
    'lists checkpoints, previews the changes, restores files and buffers, and can be undone (repository: %s)',
    async (isRepository, { start }) => {
      const chat = await startEditingChat(start, { files, init, isRepository });
      await chat.nvim.command('wincmd t | edit a.txt');
      await chat.run(['sh', 'echo ONE > a.txt; rm b.txt; echo new > d.txt']);
      await chat.run(['disk', 'c.txt', 'THREE\n']);
      const before = isRepository ? snapshotOf(chat.folder) : undefined;
      await restore(chat, 'AcpRestore', '  [["sh"');
      await chat.nvim.waitFor(async () => (await pickers(chat)).length === 2, 'the question');
      const [list, question] = await pickers(chat);
      expect(list!.labels.map((label) => label.replace(/^\d\d:\d\d /, ''))).toEqual([
        ' [["disk","c.txt","THREE\\n"]]  (1 file changed)',
        ' [["sh","echo ONE > a.txt; rm b.txt; echo new > …  (3 files changed)',
      ]);
      expect(question).toEqual({
        prompt: '4 files would change',
        labels: ['Restore 4 files', 'Show the diff first', 'Cancel'],
      });
      await chat.nvim.waitForScreen(/-ONE\s+│?/);
      await restore(chat, 'AcpRestore', '  [["sh"', 'Restore 4 files');
      await chat.waitForDisk('c.txt', 'three\n');
      await chat.waitForDisk('d.txt', undefined);
      await chat.nvim.waitForScreen('restored 4 files');
      for (const [name, content] of Object.entries(files)) expect(chat.onDisk(name)).toBe(content);
      expect(await chat.buffer('a.txt')).toEqual(['one']);
      if (before) {
        const { status, ...own } = snapshotOf(chat.folder);
        expect(status).toBe('');
        expect(own).toEqual({ ...before, status: undefined, ...own });
        expect({ ...own, status: before.status }).toEqual(before);
      }
      await restore(chat, 'AcpRestore undo', 'Restore 4 files');
      await chat.waitForDisk('a.txt', 'ONE\n');
      await chat.waitForDisk('b.txt', undefined);
      await chat.waitForDisk('c.txt', 'THREE\n');
      await chat.waitForDisk('d.txt', 'new\n');
    },
  );

  it.skipIf(!hasGit)('says what it did not do', async ({ start }) => {
    const chat = await startEditingChat(start, { files, init, isRepository: true });
    await chat.run(['sh', 'echo ONE > a.txt']);
    const id = execFileSync('git', ['rev-parse', 'HEAD:a.txt'], { cwd: chat.folder }).toString().trim();
    fs.rmSync(chat.at(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`));
    await restore(chat, 'AcpRestore', '  [["sh"');
    const said = async () => (await chat.nvim.messages()).replaceAll('\n', '');
    await chat.nvim.waitFor(
      async () => (await said()).includes('nothing can be restored: a.txt could not'),
      'it',
    );
    expect(await said()).not.toMatch(/the files are the same/);
    expect(chat.onDisk('a.txt')).toBe('ONE\n');
  });

  it('updates the buffers of files that are removed and recreated', async ({ start }) => {
    const chat = await startEditingChat(start, { files, init, isRepository: false });
    await chat.nvim.command('wincmd t | edit b.txt');
    await chat.run(['sh', 'rm b.txt; echo new > d.txt']);
    await chat.nvim.command('split d.txt');
    const windowCount = () => chat.nvim.lua<number>("return vim.fn.winnr('$')");
    const windows = await windowCount();
    await restore(chat, 'AcpRestore', '  [["sh"', 'Restore 2 files');
    await chat.waitForDisk('b.txt', 'two\n');
    await chat.waitForDisk('d.txt', undefined);
    const isLoaded = (name: string) =>
      chat.nvim.lua<boolean>('return vim.fn.bufloaded(...) == 1', chat.at(name));
    await chat.nvim.waitFor(async () => !(await isLoaded('d.txt')), 'the buffer to go');
    expect(await windowCount()).toBe(windows);
    expect(await chat.buffer('b.txt')).toEqual(['two']);
    await chat.nvim.command('checktime');
    await restore(chat, 'AcpRestore undo', 'Restore 2 files');
    await chat.waitForDisk('b.txt', undefined);
    await chat.waitForDisk('d.txt', 'new\n');
    await chat.nvim.waitFor(async () => !(await isLoaded('b.txt')), 'the other buffer to go');
    expect(await chat.nvim.messages()).not.toMatch(/E\d+|W\d+/);
  });

  it('leaves out files the user changed since, unless they agree', async ({ start }) => {
    const chat = await startEditingChat(start, { files, init, isRepository: hasGit });
    await chat.run(['sh', 'echo ONE > a.txt; echo TWO > b.txt; echo THREE > c.txt']);
    await chat.nvim.command('wincmd t | edit b.txt | call setline(1, "mine") | write');
    await chat.nvim.command('edit c.txt | call setline(1, "unsaved")');
    await restore(chat, 'AcpRestore', '  [["sh"', 'leave what you changed');
    await chat.waitForDisk('a.txt', 'one\n');
    await chat.nvim.waitFor(
      async () => (await chat.nvim.messages()).includes('restored 1 file; left b.txt, c.txt, changed since'),
      'what was left',
    );
    expect((await pickers(chat))[1]).toEqual({
      prompt: '3 files would change; changed by you since: b.txt, c.txt',
      labels: [
        'Restore 1 file, leave what you changed',
        'Restore all 3 files, yours too',
        'Show the diff first',
        'Cancel',
      ],
    });
    expect(chat.onDisk('b.txt')).toBe('mine\n');
    expect(await chat.buffer('c.txt')).toEqual(['unsaved']);
    await restore(chat, 'AcpRestore', '  [["sh"', 'yours too');
    await chat.waitForDisk('b.txt', 'two\n');
    await chat.waitForDisk('c.txt', 'three\n');
    await chat.nvim.command('undo');
    expect(await chat.buffer('c.txt')).toEqual(['unsaved']);
  });

  it.for(['closed', 'open'])(
    'a file without a last line ending is not changed by the user: %s',
    async (how, { start }) => {
      const chat = await startEditingChat(start, {
        files: { 'a.txt': 'one\ntwo' },
        init,
        isRepository: false,
      });
      if (how === 'open') await chat.nvim.command('wincmd t | edit a.txt');
      await chat.run(['disk', 'a.txt', 'one\nTWO']);
      await restore(chat, 'AcpRestore', '  [["disk"', 'Restore');
      expect((await pickers(chat))[1]).toEqual({
        prompt: '1 file would change',
        labels: ['Restore 1 file', 'Show the diff first', 'Cancel'],
      });
      await chat.nvim.waitForScreen('restored 1 file');
      expect(chat.onDisk('a.txt')).toBe('one\ntwo');
    },
  );

  it.for<['write' | 'disk' | 'twice', 'nobody' | 'the user' | 'the agent']>([
    ['write', 'nobody'],
    ['disk', 'nobody'],
    ['twice', 'nobody'],
    ['write', 'the user'],
    ['disk', 'the agent'],
  ])(
    'restores text that was unsaved at the checkpoint: agent uses %s, saved since by %s',
    async ([how, savedBy], { start }) => {
      const isSaved = savedBy === 'the user';
      const text = 'one\ntwo\nthree\nfour\nfive\n';
      const chat = await startEditingChat(start, { files: { 'a.txt': text }, init, isRepository: hasGit });
      const { nvim } = chat;
      const isModified = () => nvim.lua('return vim.bo[vim.fn.bufnr(...)].modified', chat.at('a.txt'));
      const mine = ['one', 'two', 'three', 'four', 'five', 'mine'];
      await nvim.command('wincmd t | edit a.txt | call append("$", "mine")');
      const changed = text.replace('two', 'TWO') + (savedBy === 'the agent' ? 'mine\n' : '');
      await chat.run(how === 'twice' ? [how, 'a.txt', changed, 'client first'] : [how, 'a.txt', changed]);
      await nvim.waitFor(async () => (await chat.buffer('a.txt'))[1] === 'TWO', 'the change');
      if (isSaved) await nvim.command('silent write');
      await restore(chat, 'AcpRestore', `  [["${how}"`, 'Restore');
      await chat.waitForDisk('a.txt', text);
      expect(await chat.buffer('a.txt')).toEqual(mine);
      expect(await isModified()).toBe(true);
      const since = isSaved ? '; changed by you since: a.txt' : '';
      expect((await pickers(chat))[1]!.prompt).toBe(
        `1 file would change; your unsaved text stays, unsaved: a.txt${since}`,
      );
      await nvim.waitForScreen('restored 1 file');
      await restore(chat, 'AcpRestore undo', 'Restore');
      await chat.waitForDisk('a.txt', isSaved ? `${changed}mine\n` : changed);
      expect(await chat.buffer('a.txt')).toEqual(mine.with(1, 'TWO'));
      await nvim.command('silent write');
      expect(chat.onDisk('a.txt')).toBe(`${text.replace('two', 'TWO')}mine\n`);
    },
  );

  it.for([true, false].filter((isRepository) => hasGit || !isRepository))(
    'undoes the restore of a deleted file whose buffer has unsaved text; repository: %s',
    async (isRepository, { start }) => {
      const chat = await startEditingChat(start, { files, init, isRepository });
      const { nvim } = chat;
      await nvim.command('wincmd t | edit a.txt | call append("$", "mine")');
      await chat.run(['sh', 'rm a.txt b.txt']);
      await restore(chat, 'AcpRestore', '  [["sh"', 'Restore');
      await chat.waitForDisk('a.txt', 'one\n');
      await nvim.waitForScreen('restored 2 files');
      await restore(chat, 'AcpRestore undo', 'Show the diff');
      expect((await pickers(chat)).at(-1)!.prompt).toBe(
        '2 files would change; your unsaved text stays, unsaved: a.txt',
      );
      await nvim.waitForScreen('q: back to the question');
      expect(await nvim.lines()).toEqual([
        'a.txt  is deleted; your unsaved text stays, unsaved',
        'b.txt  is deleted',
        ...['', '--- a/a.txt', '+++ b/a.txt'],
        ...['', '--- a/b.txt', '+++ /dev/null', '@@ -1,1 +0,0 @@', '-two'],
      ]);
      await nvim.lua("_G.picked, _G.pickers = { 'Restore' }, {}");
      await nvim.input('q');
      await chat.waitForDisk('a.txt', undefined);
      expect(await chat.buffer('a.txt')).toEqual(['one', 'mine']);
      expect(await nvim.lua('return vim.bo[vim.fn.bufnr(...)].modified', chat.at('a.txt'))).toBe(true);
      // It can be restored again.
      await restore(chat, 'AcpRestore undo', 'Restore');
      await chat.waitForDisk('a.txt', 'one\n');
      expect(await chat.buffer('a.txt')).toEqual(['one', 'mine']);
    },
  );

  it('shows text that was unsaved at the checkpoint in the preview too', async ({ start }) => {
    const files = { 'a.txt': 'one\ntwo\nthree\n' };
    const chat = await startEditingChat(start, { files, init, isRepository: false });
    await chat.nvim.command('wincmd t | edit a.txt | call append("$", "mine")');
    await chat.run(['write', 'a.txt', 'ONE\ntwo\nthree\n']);
    await restore(chat, 'AcpRestore', '  [["write"', 'Show the diff');
    await chat.nvim.waitForScreen('q: back to the question');
    expect(await chat.nvim.lines()).toEqual([
      'a.txt  is restored; your unsaved text stays, unsaved',
      ...['', '--- a/a.txt', '+++ b/a.txt', '@@ -1,4 +1,4 @@', '-ONE', '+one', ' two', ' three', ' mine'],
    ]);
    expect(await chat.nvim.lua("return vim.fn.line('w$') == vim.fn.line('$')")).toBe(true);
  });

  it('names files with text typed since, and leaves them out', async ({ start }) => {
    const files = { 'a.txt': 'one\ntwo\nthree\nfour\n' };
    const chat = await startEditingChat(start, { files, init, isRepository: false });
    await chat.nvim.command('wincmd t | edit a.txt | call append("$", "mine")');
    await chat.run(['write', 'a.txt', 'ONE\ntwo\nthree\nfour\n']);
    await chat.nvim.command('call setline(3, "typed since")');
    await restore(chat, 'AcpRestore', '  [["write"');
    await chat.nvim.waitFor(async () => (await pickers(chat)).length === 2, 'the question');
    expect((await pickers(chat))[1]).toMatchObject({
      prompt: '1 file would change; your unsaved text stays, unsaved: a.txt; changed by you since: a.txt',
      labels: ['Restore 1 file, yours too', 'Show the diff first', 'Cancel'],
    });
  });

  it('shows the diff first, and closes it without a change if the user declines', async ({ start }) => {
    const chat = await startEditingChat(start, { files, init, isRepository: false });
    await chat.run(['sh', 'printf "\\tONE\\n" > a.txt; chmod +x b.txt']);
    await restore(chat, 'AcpRestore', '  [["sh"', 'Show the diff');
    await chat.nvim.waitForScreen('q: back to the question');
    expect(await chat.nvim.lines()).toEqual([
      'a.txt  is restored',
      'b.txt  is restored, not executable',
      ...['', '--- a/a.txt', '+++ b/a.txt', '@@ -1,1 +1,1 @@', '-\tONE', '+one'],
      ...['', '--- a/b.txt', '+++ b/b.txt'],
    ]);
    await chat.nvim.lua("_G.picked, _G.pickers = { 'Cancel' }, {}");
    await chat.nvim.input('q');
    await chat.nvim.waitFor(async () => (await pickers(chat)).length === 1, 'the question');
    await chat.nvim.waitForScreen((screen) => !screen.includes('is restored'));
    expect(chat.onDisk('a.txt')).toBe('\tONE\n');
  });

  it('notifies the user if there is no checkpoint', async ({ start }) => {
    const chat = await startEditingChat(start, { files, init, isRepository: false });
    await chat.nvim.command('AcpRestore');
    await chat.nvim.waitForScreen('there is no checkpoint yet');
    expect(fs.readdirSync(chat.folder)).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });
});
