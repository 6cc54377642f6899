import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { aCall, aDiff, startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { drawn, waitForPhase, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join('');
const files = { 'a.txt': text, 'b.txt': text, 'own.txt': 'own' };
const size = { columns: 130, lines: 28, files, args: ['own.txt'] };

/** The file name and cursor line of every window with a file. */
const shown = (nvim: TestNvim) =>
  nvim.lua<string[]>(`
    local found = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local buf = vim.api.nvim_win_get_buf(win)
      if vim.bo[buf].buftype == '' then
        local row = vim.api.nvim_win_get_cursor(win)[1]
        table.insert(found, vim.fs.basename(vim.api.nvim_buf_get_name(buf)) .. ':' .. row)
      end
    end
    return found`);

const reading = (path: string, line?: number) =>
  aCall({
    kind: 'read',
    title: 'Read',
    toolCallId: `${path} ${line}`,
    locations: [{ path, ...(line && { line }) }],
  });

// No delay, so that a test can tell that nothing happens.
const init = `
  local defer = vim.defer_fn
  vim.defer_fn = function(run, ms)
    if ms >= 1000 then return defer(run, ms) end
    vim.schedule(run)
  end`;

describe('a window that follows the agent', () => {
  it('is a separate one beside those of the user, and does not move the cursor', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, config: '{ follow = true }' });
    const { nvim } = chat;
    await nvim.input('ihalf-typed');
    await chat.begin(reading(await chat.at('a.txt'), 42));
    await nvim.waitFor(async () => (await shown(nvim)).includes('a.txt:42'), 'the place');
    expect(await shown(nvim)).toEqual(['own.txt:1', 'a.txt:42']);
    expect(await nvim.lua('return { vim.api.nvim_get_mode().mode, vim.bo.filetype }')).toEqual([
      'i',
      'acp-prompt',
    ]);
    await waitForPhase(nvim, 'idle');
    await chat.begin(reading(await chat.at('a.txt'), 7), reading(await chat.at('b.txt'), 9));
    await nvim.waitFor(async () => (await shown(nvim)).includes('b.txt:9'), 'the next place');
    expect(await shown(nvim)).toEqual(['own.txt:1', 'b.txt:9']);
  });

  it.for([true, false])(
    'goes to the line of the change if the tool call names none (location: %s)',
    async (hasPlace, { start }) => {
      const chat = await startProgrammableChat(start, { ...size, config: '{ follow = true }' });
      const file = await chat.at('a.txt');
      const content = [aDiff(file, 'line 49\nline 50\nline 51\n', 'line 49\nLINE 50\nline 51\n')];
      await chat.begin(aCall({ content, locations: hasPlace ? [{ path: file }] : [] }));
      await chat.nvim.waitFor(async () => (await shown(chat.nvim)).includes('a.txt:50'), 'the place');
    },
  );

  it('is the one where :AcpFollow was run, while the user is in another', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, init });
    const { nvim } = chat;
    await nvim.command('wincmd t | AcpFollow');
    await chat.begin(reading(await chat.at('a.txt'), 42));
    await waitForPhase(nvim, 'idle');
    await nvim.command('wincmd b');
    await chat.begin(reading(await chat.at('b.txt'), 9));
    await nvim.waitFor(async () => (await shown(nvim)).includes('b.txt:9'), 'the place');
    expect(await shown(nvim)).toEqual(['b.txt:9']);
    await nvim.command('wincmd t');
    await waitForPhase(nvim, 'idle');
    await chat.begin(reading(await chat.at('a.txt'), 1));
    await waitForPhase(nvim, 'idle');
    expect(await shown(nvim)).toEqual(['b.txt:9']);
  });

  it('does not exist unless :AcpFollow was run, and no longer after a second time', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, init });
    const { nvim } = chat;
    const before = await windows(nvim);
    await chat.begin(reading(await chat.at('a.txt'), 42));
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpFollow | AcpFollow');
    await chat.begin(reading(await chat.at('b.txt'), 42));
    await waitForPhase(nvim, 'idle');
    expect(await windows(nvim)).toEqual(before);
  });

  it('goes only to the last of many positions in a short time', async ({ start }) => {
    const keep = `_G.pauses = {}
      local defer = vim.defer_fn
      vim.defer_fn = function(run, ms)
        if ms ~= 150 then return defer(run, ms) end
        table.insert(_G.pauses, run)
      end`;
    const chat = await startProgrammableChat(start, { ...size, init: keep, config: '{ follow = true }' });
    const { nvim } = chat;
    const [a, b] = [await chat.at('a.txt'), await chat.at('b.txt')];
    await chat.begin(reading(a, 1), reading(a, 2), reading(b, 3));
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await nvim.lua('return #_G.pauses')).toBe(1);
    expect(await shown(nvim)).toEqual(['own.txt:1']);
    await nvim.lua('_G.pauses[1]()');
    expect(await shown(nvim)).toEqual(['own.txt:1', 'b.txt:3']);
    expect(await nvim.lua("return vim.fn.bufexists('a.txt')")).toBe(0);
    await chat.begin(reading(a, 4));
    await waitForPhase(nvim, 'idle');
    await nvim.waitFor(() => nvim.lua('return #_G.pauses == 2'), 'the next');
  });

  it('does not open again after it was closed', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, init, config: '{ follow = true }' });
    const { nvim } = chat;
    await chat.begin(reading(await chat.at('a.txt'), 42));
    await nvim.waitFor(async () => (await shown(nvim)).includes('a.txt:42'), 'the place');
    await nvim.lua("vim.api.nvim_win_close(vim.fn.bufwinid('a.txt'), false)");
    await waitForPhase(nvim, 'idle');
    await chat.begin(reading(await chat.at('b.txt'), 1));
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('no longer following the agent; :AcpFollow starts again'),
      'the message',
    );
    expect(await shown(nvim)).toEqual(['own.txt:1']);
    await nvim.command('AcpFollow');
    await waitForPhase(nvim, 'idle');
    await chat.begin(reading(await chat.at('b.txt'), 9));
    await nvim.waitFor(async () => (await shown(nvim)).includes('b.txt:9'), 'it to follow again');
  });

  it.for<[string, string, number | undefined, string[]]>([
    ['a line past the end', 'a.txt', 1_000, ['own.txt:1', 'a.txt:100']],
    ['a file without a line', 'a.txt', undefined, ['own.txt:1', 'a.txt:1']],
    ['a name with odd signs', 'a [1] %#$HOME.txt', 2, ['own.txt:1', 'a [1] %#$HOME.txt:2']],
    ['no file', 'none.txt', 1, ['own.txt:1']],
    ['a folder', 'folder', 1, ['own.txt:1']],
    ['a pipe', 'pipe', 1, ['own.txt:1']],
    ['a NUL', 'a\0b', 1, ['own.txt:1']],
  ])('is not confused by %s', async ([, name, line, expected], { start }) => {
    const chat = await startProgrammableChat(start, { ...size, init, config: '{ follow = true }' });
    const { nvim } = chat;
    fs.writeFileSync(await chat.at('a [1] %#$HOME.txt'), text);
    fs.mkdirSync(await chat.at('folder'));
    execFileSync('mkfifo', [await chat.at('pipe')]);
    await chat.begin(reading(await chat.at(name), line));
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await nvim.waitFor(async () => String(await shown(nvim)) === String(expected), String(expected));
  });

  it.for(['20GVjj', '20Gd', '20Gi', ':s/x'])(
    'does not interrupt a user who typed %s',
    async (keys, { start }) => {
      const files100 = { ...files, 'own.txt': text };
      const options = { ...size, files: files100, init, config: '{ follow = true }' };
      const chat = await startProgrammableChat(start, options);
      const { nvim } = chat;
      const state = () =>
        nvim.lua<
          unknown[]
        >(`return { vim.fn.mode(1), vim.fn.getcmdline(), vim.fn.winheight(0), vim.fn.winsaveview(),
        vim.fn.line('v'), vim.api.nvim_get_current_win() }`);
      const mode = async () => (await state())[0];
      await nvim.command('wincmd t');
      await nvim.input(keys);
      await nvim.waitFor(async () => (await mode()) !== 'n', 'the keys');
      const before = await state();
      await chat.begin(reading(await chat.at('a.txt'), 42));
      await nvim.waitFor(async () => (await shown(nvim)).includes('a.txt:42'), 'the place');
      expect(await state()).toEqual(before);
    },
  );

  it('keeps unsaved changes in the file it goes to', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, init, config: '{ follow = true }' });
    const { nvim } = chat;
    await nvim.lua(
      "local b = vim.fn.bufadd(...) vim.fn.bufload(b) vim.api.nvim_buf_set_lines(b, 0, 1, true, { 'mine' })",
      await chat.at('a.txt'),
    );
    await chat.begin(reading(await chat.at('a.txt'), 3));
    await nvim.waitFor(async () => (await shown(nvim)).includes('a.txt:3'), 'the place');
    expect(
      await nvim.lua("return { vim.fn.getbufline('a.txt', 1), vim.bo[vim.fn.bufnr('a.txt')].modified }"),
    ).toEqual([['mine'], true]);
  });

  it('follows only the agent of the current chat', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, init, config: '{ follow = true }' });
    const { nvim } = chat;
    const follow = (id: number, path: string) =>
      nvim.lua(
        "require('acp.operations').receive('follow.to', { chat = ..., path = select(2, ...), line = 5 })",
        id,
        path,
      );
    const [a, b] = [await chat.at('a.txt'), await chat.at('b.txt')];
    await nvim.command('AcpNew tester');
    await nvim.input('<Esc>');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().id == 2"), 'the second chat');
    await follow(2, b);
    await follow(1, a);
    await nvim.waitFor(async () => (await shown(nvim)).includes('b.txt:5'), 'the place');
    expect(await shown(nvim)).not.toContain('a.txt:5');
  });
});
