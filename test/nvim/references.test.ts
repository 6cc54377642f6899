import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { speech } from '../support/agents/messages.ts';
import { aCall, aDiff, startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { drawn, floatText, promptText, waitForPhase, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { doubleClick } from '../support/nvim/user.ts';

const numbers = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join('\n');
const files = { 'src/a.ts': numbers, 'src/my file.ts': numbers, 'own.txt': 'own', 'test/x': '' };

/** Records what would be opened with programs of the system, and takes the first item of every picker. */
const recordPrograms = `
  vim.o.mouse = 'a'
  _G.opened, _G.asked = {}, {}
  vim.ui.open = function(what) table.insert(_G.opened, what) return {} end
  vim.ui.select = function(items, options, on_choice)
    table.insert(_G.asked, options.prompt)
    vim.defer_fn(function() on_choice(items[1], 1) end, 600)
  end`;

type Start = (options?: NvimOptions) => Promise<TestNvim>;

/** A chat in which the agent has said a text. */
async function startWith(start: Start, text: string, options: NvimOptions = {}): Promise<TestNvim> {
  const size = { columns: 140, lines: 30, files, args: ['own.txt'], init: recordPrograms };
  const { nvim, turn } = await startScriptedChat(start, { ...size, ...options });
  const { end } = await turn('go', speech(text));
  end();
  await waitForPhase(nvim, 'idle');
  await drawn(nvim);
  return nvim;
}

/** Puts the cursor on the first character of the last such text in the chat. */
async function goTo(nvim: TestNvim, text: string): Promise<void> {
  await nvim.lua(
    `local chat, text = require('acp.chats').current(), ...
     vim.api.nvim_set_current_win(vim.fn.bufwinid(chat.buf))
     local lines = vim.api.nvim_buf_get_lines(chat.buf, 0, -1, false)
     for row = #lines, 1, -1 do
       local column = lines[row]:find(text, 1, true)
       if column then return vim.api.nvim_win_set_cursor(0, { row, column - 1 }) end
     end
     error('the chat has no ' .. text)`,
    text,
  );
}

const place = (nvim: TestNvim) =>
  nvim.lua<string>("return vim.fn.expand('%:.') .. ':' .. vim.api.nvim_win_get_cursor(0)[1]");

async function waitForPlace(nvim: TestNvim, expected: string): Promise<void> {
  await nvim.waitFor(async () => (await place(nvim)) === expected, expected);
}

describe('a path in the text of the agent', () => {
  it.for<[string, string, string]>([
    ['See src/a.ts:9 for it.', 'src/a.ts', 'src/a.ts:9'],
    ['See src/a.ts#L12-L14.', 'a.ts', 'src/a.ts:12'],
    ['The [login](src/a.ts#L7) page', 'login', 'src/a.ts:7'],
    ['In `src/my file.ts:3`', 'my', 'src/my file.ts:3'],
    ['```\nsrc/a.ts:20:1: error\n```', 'src/a.ts', 'src/a.ts:20'],
    ['+++ b/src/a.ts', 'b/src', 'src/a.ts:1'],
  ])('opens with gf, gF, gx and <CR>: %s', async ([text, under, expected], { start }) => {
    const nvim = await startWith(start, text);
    const before = await windows(nvim);
    for (const key of ['gf', 'gF', 'gx', '<CR>']) {
      await goTo(nvim, under);
      await nvim.input(key);
      await waitForPlace(nvim, expected);
      expect(await windows(nvim)).toHaveLength(before.length);
      await nvim.command('edit own.txt');
    }
    expect(await nvim.lua('return { _G.opened, _G.asked }')).toEqual([[], []]);
  });

  it.for(['src/a.ts:9:3', 'src/a.ts(9,3)'])('opens at its column: %s', async (text, { start }) => {
    const nvim = await startWith(start, text);
    await goTo(nvim, 'src/a.ts');
    await nvim.input('gF');
    await waitForPlace(nvim, 'src/a.ts:9');
    expect(await nvim.lua("return vim.fn.col('.')")).toBe(3);
  });

  it('opens with a double click, which selects elsewhere', async ({ start }) => {
    const nvim = await startWith(start, 'Some prose first.\n\nSee src/a.ts:9 for it.');
    await doubleClick(nvim, 'prose');
    await nvim.waitFor(async () => (await nvim.lua('return vim.fn.mode()')) === 'v', 'a selection');
    await nvim.input('y');
    await nvim.waitFor(async () => (await nvim.lua("return vim.fn.getreg('\"')")) === 'prose', 'the word');
    await doubleClick(nvim, 'src/a.ts:9');
    await waitForPlace(nvim, 'src/a.ts:9');
  });

  it('opens with a double click on the text of a link, whose markup the first click shows', async ({
    start,
  }) => {
    const nvim = await startWith(start, 'See `one`, `two` in [the line](src/a.ts:9).\n\nLast.');
    const markup = () => nvim.waitForScreen('`two` in [the line](src/a.ts:9)');
    await goTo(nvim, 'Last.');
    await nvim.waitForScreen('one, two in the line.');
    await doubleClick(nvim, 'the line', markup);
    await waitForPlace(nvim, 'src/a.ts:9');
    await nvim.command('edit own.txt');
    await goTo(nvim, 'Last.');
    await nvim.waitForScreen('one, two in the line.');
    await doubleClick(nvim, 'line.', markup);
    await waitForPlace(nvim, 'src/a.ts:9');
  });

  it('opens without its folder, after a question if several files have its name', async ({ start }) => {
    const twice = { ...files, 'lib/b.ts': numbers, 'src/b.ts': numbers };
    const nvim = await startWith(start, 'See `a.ts:9` and b.ts:12:2.', { files: twice });
    await goTo(nvim, 'a.ts');
    await nvim.input('<CR>');
    await waitForPlace(nvim, 'src/a.ts:9');
    await goTo(nvim, 'b.ts');
    await nvim.input('gf');
    await waitForPlace(nvim, 'lib/b.ts:12');
    expect(await nvim.lua("return vim.fn.col('.')")).toBe(2);
    expect(await nvim.lua('return _G.asked')).toEqual(['Several files have this name']);
  });

  it('that does not exist is named', async ({ start }) => {
    const nvim = await startWith(start, 'See src/none.ts:9, src/nil.ts:1 and that.');
    await goTo(nvim, 'src/none');
    await nvim.input('gf');
    await nvim.waitForScreen('acp: file not found: src/none.ts');
    await goTo(nvim, 'src/nil');
    await nvim.input('<CR>');
    await nvim.waitForScreen('acp: file not found: src/nil.ts');
    await goTo(nvim, 'that');
    await nvim.input('gx');
    await nvim.waitForScreen('acp: there is no path or link here');
    expect(await windows(nvim)).toEqual(['text', 'acp', 'acp-prompt']);
  });

  it('outside of the folders of the session is shown before it opens', async ({ start }) => {
    const nvim = await startWith(start, 'See [notes](../outside.txt).');
    fs.writeFileSync(`${nvim.sandbox.cwd}/../outside.txt`, 'outside\n');
    await goTo(nvim, 'notes');
    await nvim.input('gf');
    await nvim.waitFor(async () => (await nvim.lua('return #_G.asked')) === 1, 'the question');
    expect(await nvim.lua('return _G.asked[1]')).toMatch(
      /outside\.txt is outside of the folders of this session/,
    );
    expect(await place(nvim)).not.toContain('outside');
    await nvim.waitFor(async () => (await nvim.lines())[0] === 'outside', 'the file');
  });

  it('is not every word that is the name of a folder', async ({ start }) => {
    const nvim = await startWith(start, 'Run the test now.');
    await goTo(nvim, 'test');
    await nvim.input('<CR>');
    await drawn(nvim);
    expect(await nvim.lua('return vim.bo.filetype')).toBe('acp');
    await nvim.input('gf');
    await nvim.waitFor(async () => (await place(nvim)).startsWith('test'), 'the folder');
  });
});

describe('an address in the text of the agent', () => {
  it.for(['gx', 'gf', '<CR>'])('opens in the browser with %s after it was shown', async (key, { start }) => {
    const nvim = await startWith(start, 'See [the page](https://user@example.org/x).');
    await goTo(nvim, 'the page');
    await nvim.input(key);
    await nvim.waitFor(async () => (await nvim.lua('return #_G.opened')) === 1, 'the browser');
    expect(await nvim.lua('return { _G.opened, _G.asked }')).toEqual([
      ['https://user@example.org/x'],
      [expect.stringContaining('the page is on example.org')],
    ]);
  });

  it('behind a link is shown with K', async ({ start }) => {
    const nvim = await startWith(start, 'Grüße: the [manual](https://example.org/manual) has more.');
    await goTo(nvim, 'manual]');
    await nvim.input('K');
    await nvim.waitFor(async () => (await floatText(nvim)) === 'https://example.org/manual', 'the target');
  });

  it('that is not of the web is never opened', async ({ start }) => {
    const nvim = await startWith(start, 'See ssh://example.org/x.');
    await goTo(nvim, 'ssh');
    await nvim.input('gx');
    await nvim.waitFor(async () => (await nvim.lua('return #_G.asked')) === 1, 'the question');
    await nvim.waitFor(async () => (await nvim.messages()).includes('copied the address'), 'the copy');
    expect(await nvim.lua('return _G.opened')).toEqual([]);
  });
});

describe('a mention in the prompt', () => {
  it('opens with gf beside the chat', async ({ start }) => {
    const nvim = await startWith(start, 'hello');
    await nvim.command('AcpChat');
    await nvim.input('<Esc>isee @src/a.ts:9-12 now<Esc>0fagf');
    await waitForPlace(nvim, 'src/a.ts:9');
    expect(await promptText(nvim)).toBe('see @src/a.ts:9-12 now');
  });
});

describe('the heading of a change', () => {
  it('leads to the changed line, also from the path in it', async ({ start }) => {
    const chat = await startProgrammableChat(start, { columns: 140, files, args: ['own.txt'] });
    const { nvim } = chat;
    const file = chat.at('src/a.ts');
    await chat.begin(aCall({ title: 'src/a.ts', content: [aDiff(file, 'line 42', 'line 42 or so')] }));
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen('+ line 42 or so');
    for (const key of ['<CR>', 'gf']) {
      await goTo(nvim, 'src/a.ts');
      await nvim.input(key);
      await waitForPlace(nvim, 'src/a.ts:42');
      await nvim.command('edit own.txt');
    }
  });
});
