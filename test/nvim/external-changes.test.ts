import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect } from 'vitest';
import { NvimEditor } from '../../src/nvim/editor.ts';
import { BufferSync } from '../../src/workspace/files/buffer-sync.ts';
import { FileRecords } from '../../src/workspace/files/file-record.ts';
import { startEditingChat } from '../support/agents/programmable-chat.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { drawn, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { recordQuestions, User } from '../support/nvim/user.ts';
import { hasGit } from '../support/system/git.ts';

const text = 'one\ntwo\nthree\nfour\nfive\n';
const files = { 'a.txt': text };

const options = [
  'Keep mine',
  'Use the version on disk',
  'Keep both, mine first',
  'Leave buffer and file as they are',
  'Choose line by line, in a split',
];

/** The user asks for the question that waits. */
async function askedIn(nvim: TestNvim, user: User) {
  await nvim.waitForScreen('? Changed on disk and in the buffer');
  await nvim.waitFor(
    () => nvim.lua("return require('acp.chats').current().waiting > 0"),
    'a question to wait',
  );
  await nvim.command('AcpAnswer');
  return user.nextLabels();
}

/** The user has unsaved text in a line that the agent then changes on disk. */
async function contradict(start: (options?: NvimOptions) => Promise<TestNvim>, config?: string) {
  const chat = await startEditingChat(start, { files, init: recordQuestions, ...(config && { config }) });
  const { nvim } = chat;
  const user = new User(nvim);
  await nvim.command('wincmd t | edit a.txt | call setline(2, "two, mine")');
  await chat.run(['sh', 'sed -i "s/two/TWO/" a.txt'], ['sh', 'echo > b.txt']);
  const asked = () => askedIn(nvim, user);
  const becomes = (...lines: string[]) =>
    nvim.waitFor(async () => isDeepStrictEqual(await chat.buffer('a.txt'), lines), `${lines}`);
  const isModified = () => nvim.lua('return vim.bo[vim.fn.bufnr(...)].modified', chat.at('a.txt'));
  return { chat, nvim, user, asked, becomes, isModified };
}

describe.skipIf(!hasGit)('a conflict between unsaved text and a change on disk', () => {
  it.for<[string, string[], boolean]>([
    ['Keep mine', ['one', 'two, mine', 'three', 'four', 'five'], true],
    ['Use the version on disk', ['one', 'TWO', 'three', 'four', 'five'], false],
    ['Keep both, mine first', ['one', 'two, mine', 'TWO', 'three', 'four', 'five'], true],
  ])(
    'is resolved by the choice of the user, also after the turn: %s',
    async ([choice, lines, isUnsaved], { start }) => {
      const { chat, nvim, user, asked, becomes, isModified } = await contradict(start);
      expect(await asked()).toEqual(options);
      expect(await chat.buffer('a.txt')).toEqual(['one', 'two, mine', 'three', 'four', 'five']);
      expect(chat.onDisk('a.txt')).toBe(text.replace('two', 'TWO'));
      await user.pick(choice);
      await becomes(...lines);
      const isCurrent = "return require('acp.buffers').read({ path = ... }).isCurrent";
      await nvim.waitFor(() => nvim.lua(isCurrent, chat.at('a.txt')), 'the choice to be taken');
      expect(await isModified()).toBe(isUnsaved);
      expect(chat.onDisk('a.txt')).toBe(text.replace('two', 'TWO'));
      await nvim.command('silent write');
      expect(chat.onDisk('a.txt')).toBe(`${lines.join('\n')}\n`);
      await nvim.command('undo');
      expect((await chat.buffer('a.txt'))[1]).toBe('two, mine');
      expect(await user.timesAsked).toBe(1);
    },
  );

  it('can be merged by hand, and text typed meanwhile stays', async ({ start }) => {
    const { chat, nvim, user, asked, becomes } = await contradict(start);
    await asked();
    await user.pick('Choose line by line, in a split');
    await nvim.waitForScreen('conflict 1');
    await nvim.waitForScreen('theirs, on disk');
    await nvim.lua(
      `vim.api.nvim_buf_set_lines(vim.fn.bufnr(...), 4, 5, true, { 'five, later' })`,
      chat.at('a.txt'),
    );
    await nvim.input('ga:w<CR>');
    await becomes('one', 'TWO', 'three', 'four', 'five, later');
  });

  it('is asked about again, in its current state, if the file changes again', async ({ start }) => {
    const { chat, nvim, user, asked, becomes } = await contradict(start);
    await asked();
    await chat.run(['sh', 'sed -i "s/TWO/2/" a.txt']);
    await nvim.waitForScreen('obsolete');
    await asked();
    await drawn(nvim);
    expect((await transcript(nvim)).filter((line) => line.includes('obsolete'))).toHaveLength(1);
    await user.pick('Keep both, mine first');
    await becomes('one', 'two, mine', '2', 'three', 'four', 'five');
    expect(await user.timesAsked).toBe(2);
  });

  it('can be left unresolved: nobody asks again, and the agent does not overwrite it', async ({ start }) => {
    const { chat, nvim, user, asked } = await contradict(start);
    await asked();
    await user.pick('Leave buffer and file as they are');
    await nvim.waitForScreen('both are unchanged');
    expect((await transcript(nvim)).join('\n')).not.toContain('Rejected');
    await chat.run(['sh', 'echo >> b.txt'], ['write', 'a.txt', text.replace('five', 'FIVE')]);
    await drawn(nvim);
    expect((await transcript(nvim)).join(' ')).toMatch(
      /unsaved text in .* in conflict with the file on disk/,
    );
    expect(await chat.buffer('a.txt')).toEqual(['one', 'two, mine', 'three', 'four', 'five']);
    expect(chat.onDisk('a.txt')).toBe(text.replace('two', 'TWO'));
    expect(await user.timesAsked).toBe(1);
  });

  it.for([
    ['edit!', 'one\nTWO\nthree\nfour\nfive\n'],
    ['silent write!', 'one\ntwo, mine\nthree\nfour\nfive\n'],
  ])('is resolved by :%s too', async ([command, content], { start }) => {
    const { chat, nvim, asked } = await contradict(start);
    await asked();
    await nvim.command(command!);
    await nvim.waitForScreen('obsolete');
    expect(chat.onDisk('a.txt')).toBe(content);
    expect(`${(await chat.buffer('a.txt')).join('\n')}\n`).toBe(content);
  });

  it('causes a notice instead of a question with on_conflict = refuse', async ({ start }) => {
    const { chat, nvim, user } = await contradict(start, "{ on_conflict = 'refuse' }");
    await nvim.waitForScreen('both are unchanged');
    expect(await chat.buffer('a.txt')).toEqual(['one', 'two, mine', 'three', 'four', 'five']);
    expect(await user.timesAsked).toBe(0);
  });

  it('can be rejected in the review after the disk was chosen', async ({ start }) => {
    const { chat, nvim, user, asked, becomes } = await contradict(start);
    await asked();
    await user.pick('Use the version on disk');
    await becomes('one', 'TWO', 'three', 'four', 'five');
    await chat.review();
    await chat.waitForList('› ○ a.txt  +1  -1', /b\.txt/);
    await nvim.input('X');
    await chat.waitForDisk('a.txt', text.replace('two', 'two, mine'));
  });

  it('is asked about once if several chats are open', async ({ start }) => {
    const chat = await startEditingChat(start, { files, init: recordQuestions });
    const { nvim } = chat;
    await chat.run(['sh', 'true']);
    await nvim.command('wincmd t | edit a.txt | call setline(2, "two, mine")');
    await nvim.command('AcpNew');
    await chat.begin(['sh', 'sed -i "s/two/TWO/" a.txt']);
    await nvim.waitForScreen('Changed on disk and in the buffer');
    await nvim.command('stopinsert | AcpChat tester');
    await chat.run(['sh', 'echo > b.txt']);
    const waiting =
      'return vim.tbl_map(function(id) return require("acp.chats").get(id).waiting end, { 1, 2 })';
    expect(await nvim.lua(waiting)).toEqual([0, 1]);
  });

  it('is not asked about by Neovim if it checks the file first', async ({ start }) => {
    const chat = await startEditingChat(start, {
      files: { ...files, '.gitignore': 'go\nthere\n' },
      init: recordQuestions,
    });
    const { nvim } = chat;
    const user = new User(nvim);
    await nvim.command('wincmd t | edit a.txt | call setline(2, "two, mine")');
    await chat.begin(['wait', 'go'], ['sh', 'sed -i "s/two/TWO/" a.txt; touch there']);
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

it('a write that was cancelled before a conflict question does not wait', async ({ start }) => {
  const nvim = await start({ files: { 'a.txt': text } });
  await nvim.command('edit a.txt');
  const editor = new NvimEditor(nvim.client, new LogDouble());
  const buffers = new BufferSync({ editor, user: { resolveConflict: () => new Promise(() => undefined) } });
  const file = await nvim.lua<string>("return vim.uv.fs_realpath('a.txt')");
  const record = new FileRecords().get(file);
  await buffers.syncWithDisk(record);
  await nvim.command('call setline(2, "mine")');
  fs.writeFileSync(file, text.replace('two', 'theirs'));
  await expect(buffers.awaitAgreement(record, AbortSignal.abort())).rejects.toMatchObject({
    code: 'cancelled',
  });
});

it('a buffer follows a change on disk also if git ignores the file', async ({ start }) => {
  const ignored = { '.gitignore': '.env\n', '.env': 'KEY=1\n' };
  const chat = await startEditingChat(start, { files: ignored });
  await chat.nvim.command('wincmd t | edit .env | setlocal nomodifiable');
  await chat.begin(['sh', 'sleep 0.1; echo KEY=2 > .env'], ['wait', 'go']);
  await chat.nvim.waitFor(async () => (await chat.buffer('.env'))[0] === 'KEY=2', 'the buffer to follow');
  expect(await chat.nvim.lua('return { vim.bo.modifiable, vim.bo.modified }')).toEqual([false, false]);
  await chat.nvim.command('call writefile([], "go")');
  await waitForPhase(chat.nvim, 'idle');
});

describe.skipIf(!hasGit)('a buffer whose file the agent changes on disk', () => {
  it('follows by minimal edits, as one undo step, and can be saved without a question', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    const { nvim } = chat;
    await nvim.lua(`
      vim.cmd('wincmd t | edit a.txt')
      vim.api.nvim_win_set_cursor(0, { 4, 2 })
      _G.ns = vim.api.nvim_create_namespace('test')
      _G.mark = vim.api.nvim_buf_set_extmark(0, _G.ns, 4, 1, {})`);
    await chat.run(['sh', 'sed -i -e "s/two/TWO/" -e 1izero a.txt']);
    await nvim.waitFor(async () => (await chat.buffer('a.txt'))[0] === 'zero', 'the buffer to follow');
    expect(
      await nvim.lua(
        'return { vim.bo.modified, vim.api.nvim_win_get_cursor(0), vim.api.nvim_buf_get_extmark_by_id(0, _G.ns, _G.mark, {}), vim.go.autoread }',
      ),
    ).toEqual([false, [5, 2], [5, 1], true]);
    await nvim.command('call setline(6, "mine") | write');
    expect(chat.onDisk('a.txt')).toBe('zero\none\nTWO\nthree\nfour\nmine\n');
    await nvim.command('undo | undo');
    expect(await chat.buffer('a.txt')).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(await nvim.messages()).not.toMatch(/W1[12]|changed since/);
  });

  it('is modified after an undo to what the user has saved', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    const { nvim } = chat;
    await nvim.command('wincmd t | edit a.txt | call setline(1, "saved") | write');
    // Otherwise two requests may be one undo step.
    await nvim.command('let &l:undolevels = &l:undolevels | call setline(5, "typed")');
    await chat.run(['sh', 'sed -i "s/three/THREE/" a.txt']);
    await nvim.waitFor(async () => (await chat.buffer('a.txt'))[2] === 'THREE', 'the buffer to follow');
    await nvim.command('undo | undo');
    expect(await chat.buffer('a.txt')).toEqual(['saved', 'two', 'three', 'four', 'five']);
    expect(await nvim.lua('return vim.bo.modified')).toBe(true);
    expect(chat.onDisk('a.txt')).toBe('saved\ntwo\nTHREE\nfour\nfive\n');
    expect(await nvim.lua("return vim.fn.bufexists('/dev/null')")).toBe(0);
  });

  it('keeps unsaved text and the cursor in it', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    const { nvim } = chat;
    await nvim.command('wincmd t | edit a.txt | call setline(5, "five, mine") | call cursor(5, 8)');
    await chat.run(['sh', 'sed -i -e "s/two/TWO/" -e 1izero a.txt']);
    await nvim.waitFor(async () => (await chat.buffer('a.txt'))[0] === 'zero', 'the buffer to follow');
    expect(await chat.buffer('a.txt')).toEqual(['zero', 'one', 'TWO', 'three', 'four', 'five, mine']);
    expect(await nvim.lua('return { vim.bo.modified, vim.api.nvim_win_get_cursor(0) }')).toEqual([
      true,
      [6, 7],
    ]);
    expect(chat.onDisk('a.txt')).toBe('zero\none\nTWO\nthree\nfour\nfive\n');
    await nvim.command('undo');
    expect(await chat.buffer('a.txt')).toEqual(['one', 'two', 'three', 'four', 'five, mine']);
    await nvim.command('redo');
    await chat.run(['sh', 'sed -i "s/three/THREE/" a.txt']);
    await nvim.waitFor(async () => (await chat.buffer('a.txt'))[3] === 'THREE', 'the buffer to follow');
    await nvim.command('write');
    expect(chat.onDisk('a.txt')).toBe('zero\none\nTWO\nTHREE\nfour\nfive, mine\n');
    const told = (await transcript(nvim)).filter((line) => line.includes('a.txt was changed and merged'));
    expect(told).toHaveLength(1);
  });

  it('that was opened after the change has no conflict, and each author keeps their lines', async ({
    start,
  }) => {
    const chat = await startEditingChat(start, { files: { ...files, '.gitignore': 'go\non\nthere\n' } });
    await chat.begin(['wait', 'go'], ['sh', 'sed -i "s/two/TWO/" a.txt; touch there'], ['wait', 'on']);
    await chat.nvim.command('wincmd t');
    // The end of the command is not yet known when the file is opened: Neovim is busy until it has been.
    await chat.nvim.lua(`
      vim.fn.writefile({}, 'go')
      vim.wait(10000, function() return vim.uv.fs_stat('there') ~= nil end, 1, true)
      vim.cmd('edit a.txt | call setline(4, "four, mine")')
      vim.fn.writefile({}, 'on')`);
    await chat.nvim.waitFor(async () => (await chat.buffer('a.txt'))[3] === 'four, mine', 'the text');
    await chat.review();
    await chat.waitForList('› ○ a.txt  +1  -1');
    expect(await chat.buffer('a.txt')).toEqual(['one', 'TWO', 'three', 'four, mine', 'five']);
    await chat.nvim.input('X');
    await chat.waitForDisk('a.txt', 'one\ntwo\nthree\nfour, mine\nfive\n');
  });

  it('follows while the command still runs', async ({ start }) => {
    const chat = await startEditingChat(start, { files: { ...files, '.gitignore': 'go\non\n' } });
    await chat.nvim.command('wincmd t | edit a.txt');
    const until = (name: string) => `while [ ! -e ${name} ]; do sleep 0.05; done`;
    await chat.begin(['sh', `${until('on')}; echo six >> a.txt; ${until('go')}`]);
    await waitForPhase(chat.nvim, 'running');
    await chat.nvim.waitForScreen('● run');
    await chat.nvim.command('call writefile([], "on")');
    await chat.nvim.waitFor(async () => (await chat.buffer('a.txt')).length === 6, 'the buffer to follow');
    await chat.nvim.command('call writefile([], "go")');
    await waitForPhase(chat.nvim, 'idle');
    await chat.review();
    await chat.waitForList('› ○ a.txt  +1');
  });

  it('follows a change that is written at the same moment, without a question', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    const { nvim } = chat;
    await nvim.lua(`
      vim.cmd('wincmd t | edit a.txt | call setline(5, "five, mine")')
      local set_time = vim.uv.fs_utime
      vim.uv.fs_utime = function(path, ...)
        vim.uv.fs_utime = set_time
        vim.fn.writefile({ 'ONE', 'Two.', 'three', 'four', 'five' }, path)
        return set_time(path, ...)
      end`);
    await chat.run(['sh', 'sed -i "s/two/TWO./" a.txt']);
    await chat.run(['sh', 'true']);
    await nvim.waitFor(async () => (await chat.buffer('a.txt'))[0] === 'ONE', 'the buffer to follow');
    expect(await chat.buffer('a.txt')).toEqual(['ONE', 'Two.', 'three', 'four', 'five, mine']);
    await nvim.command('silent write');
    expect(chat.onDisk('a.txt')).toBe('ONE\nTwo.\nthree\nfour\nfive, mine\n');
  });

  it('causes no question of Neovim either', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.nvim.command('wincmd t | edit a.txt | split | set noautoread');
    await chat.run(['sh', 'echo six >> a.txt'], ['sh', 'echo seven >> a.txt'], ['sh', 'sed -i 1d a.txt']);
    await chat.nvim.waitFor(async () => (await chat.buffer('a.txt'))[0] === 'two', 'the buffer to follow');
    await chat.nvim.command('checktime');
    expect(await chat.buffer('a.txt')).toEqual(['two', 'three', 'four', 'five', 'six', 'seven']);
    expect(await chat.nvim.messages()).not.toMatch(/W1[126]/);
    expect(await chat.nvim.lua('return vim.go.autoread')).toBe(false);
  });
});
