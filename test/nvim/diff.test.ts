import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { aCall, aDiff, startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { drawn, transcript, waitForPhase, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { screenSnapshot } from '../support/nvim/snapshot.ts';
import { unusualFileNames } from '../support/system/unusual-file-names.ts';

const numbers = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
const text = `${numbers.join('\n')}\n`;
const files = { 'greet.lua': text };
const size = { columns: 130, lines: 28, files, args: ['greet.lua'] };

const lineUnderCursor = (nvim: TestNvim) =>
  nvim.lua("return vim.fn.expand('%:t') .. ':' .. vim.fn.getline('.')");

/** The files and texts of the windows of the tab page. */
const shown = (nvim: TestNvim) =>
  nvim.lua<[string, boolean, string[]][]>(`
    return vim.tbl_map(function(win)
      local buf = vim.api.nvim_win_get_buf(win)
      local name = vim.api.nvim_buf_get_name(buf):match('acp://diff%-%d+%-%a+%-(.*)')
      return { name, vim.wo[win].diff, vim.api.nvim_buf_get_lines(buf, 0, -1, false) }
    end, vim.api.nvim_tabpage_list_wins(0))`);

describe('a change in the chat', () => {
  it('shows line numbers of the file, whatever part of it the agent sends', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const file = await chat.at('greet.lua');
    const before = numbers.slice(39, 44).join('\n');
    const content = [aDiff(file, before, before.replace('line 42', 'line forty-two'))];
    await chat.begin(aCall({ title: file, status: 'in_progress', content }));
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen('42 + line forty-two');
    await drawn(nvim);
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });

  it('shows whole lines of the file, of which the agent sends a part', async ({ start }) => {
    const code = { 'calc.txt': 'two:\n    return x + 1  # mine\n' };
    const chat = await startProgrammableChat(start, { ...size, files: code, args: ['calc.txt'] });
    const content = [aDiff(chat.at('calc.txt'), 'return x + 1', 'return x + 2')];
    await chat.begin(aCall({ title: 'Edit calc.txt', status: 'in_progress', content }));
    await waitForPhase(chat.nvim, 'idle');
    await chat.nvim.waitForScreen('2 +     return x + 2  # mine');
    await chat.nvim.waitForScreen('2 -     return x + 1  # mine');
  });

  it('indents the wrapped rows of a line to its code', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const changed = `  first${' word'.repeat(12)}`;
    await chat.begin(aCall({ content: [aDiff(chat.at('greet.lua'), 'line 42', changed)] }));
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen(/42 \+ {3}first word/);
    const rows = nvim.screen.lines().map((line) => line.slice(line.indexOf('│') + 1));
    const at = rows.findIndex((row) => row.includes('42 +'));
    expect(rows[at + 1]!.search(/\S/)).toBe(rows[at]!.indexOf('first'));
  });

  it('opens its line in the file on <CR>, in a window of the user', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const file = await chat.at('greet.lua');
    await chat.begin(aCall({ content: [aDiff(file, 'line 42\nline 43', 'line 42\nline 43 or so')] }));
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen('43 + line 43 or so');
    const before = await windows(nvim);
    await chat.goTo('- line 43');
    await nvim.input('<CR>');
    await nvim.waitFor(async () => (await lineUnderCursor(nvim)) === 'greet.lua:line 43', 'the line');
    expect(await windows(nvim)).toEqual(before);
  });

  it('opens a new window when the user has none', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const file = await chat.at('greet.lua');
    await nvim.command('wincmd t | close');
    await chat.begin(aCall({ content: [aDiff(file, 'line 42', 'line 42!')] }));
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await chat.goTo('edit    greet.lua');
    await nvim.input('<CR>');
    await nvim.waitFor(async () => (await lineUnderCursor(nvim)) === 'greet.lua:line 42', 'the line');
    expect((await windows(nvim)).slice(1)).toEqual(['acp', 'acp-prompt']);
  });

  it('reports a missing file', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    await chat.begin(aCall({ content: [aDiff('/nowhere/new.lua', null, 'x')] }));
    await waitForPhase(chat.nvim, 'idle');
    await drawn(chat.nvim);
    await chat.goTo('+ x');
    await chat.nvim.input('<CR>');
    await chat.nvim.waitFor(
      async () => (await chat.nvim.messages()).includes('file not found: /nowhere/new.lua'),
      'the message',
    );
  });

  it('is shown side by side with the whole file, and leaves nothing behind', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const file = await chat.at('greet.lua');
    await chat.begin(aCall({ content: [aDiff(file, 'line 42\n', 'line 42!\n')] }));
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    const buffers = () => nvim.lua('return #vim.api.nvim_list_bufs()');
    const count = await buffers();
    await chat.goTo('+ line 42!');
    await nvim.input('gd');
    await nvim.waitFor(() => nvim.lua('return #vim.api.nvim_list_tabpages() == 2'), 'the tab page');
    expect(await shown(nvim)).toEqual([
      ['greet.lua', true, numbers],
      ['greet.lua', true, numbers.with(41, 'line 42!')],
    ]);
    expect(await nvim.lua("return vim.fn.line('.')")).toBe(42);
    await nvim.waitForScreen(/^ before +│ greet\.lua · q closes/m);
    await nvim.input('q');
    await nvim.waitFor(() => nvim.lua('return #vim.api.nvim_list_tabpages() == 1'), 'it to close');
    expect(await buffers()).toBe(count);
    expect(await nvim.lua('return vim.bo.filetype')).toBe('acp');
  });
});

describe('several changes of a tool call', () => {
  const names = ['one.txt', 'two.txt', 'three.txt'];
  const several = { ...size, files: Object.fromEntries(names.map((name) => [name, `${name}\n${text}`])) };
  const tabs = (nvim: TestNvim, count: number) =>
    nvim.waitFor(() => nvim.lua(`return #vim.api.nvim_list_tabpages() == ${count}`), `${count} tab pages`);

  /** A chat with a tool call that changes several files, one of them by many lines. */
  async function threeFiles(start: Parameters<typeof startProgrammableChat>[0]) {
    const chat = await startProgrammableChat(start, { ...several, args: [] });
    const content = await Promise.all(
      names.map(async (name) => aDiff(await chat.at(name), name, `${name}!\n${numbers.join('!\n')}`)),
    );
    await chat.begin(aCall({ content }));
    await waitForPhase(chat.nvim, 'idle');
    await drawn(chat.nvim);
    return chat;
  }

  it.for<[string, string]>([
    ['its path', 'two.txt +'],
    ['a line of it', '+ two.txt!'],
  ])('open side by side from the one under the cursor: %s', async ([, line], { start }) => {
    const chat = await threeFiles(start);
    await chat.goTo(line);
    await chat.nvim.input('gd');
    await tabs(chat.nvim, 2);
    expect((await shown(chat.nvim)).map(([name]) => name)).toEqual(['two.txt', 'two.txt']);
  });

  it('open side by side from the change above a collapsed rest', async ({ start }) => {
    const chat = await threeFiles(start);
    await chat.goTo('three.txt +');
    await chat.nvim.input('kgd');
    await tabs(chat.nvim, 2);
    expect((await shown(chat.nvim)).map(([name]) => name)).toEqual(['two.txt', 'two.txt']);
  });

  it('open side by side one after another from the title of the call', async ({ start }) => {
    const chat = await threeFiles(start);
    const { nvim } = chat;
    await chat.goTo('edit    Edit');
    await nvim.input('gd');
    await tabs(nvim, 4);
    for (const [index, name] of names.entries()) {
      expect((await shown(nvim))[0]?.[0]).toBe(name);
      await nvim.input('q');
      await tabs(nvim, 3 - index);
    }
    expect(await nvim.lua('return vim.bo.filetype')).toBe('acp');
  });

  it('are counted when not all are shown', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const content = Array.from({ length: 12 }, (_, index) => aDiff(`/none/${index}`, null, 'x'));
    await chat.begin(aCall({ content }));
    await waitForPhase(chat.nvim, 'idle');
    await drawn(chat.nvim);
    await chat.goTo('edit    Edit');
    await chat.nvim.input('gd');
    await tabs(chat.nvim, 11);
    await chat.nvim.waitFor(
      async () => (await chat.nvim.messages()).includes('the first 10 of 12 changes'),
      'the message',
    );
  });
});

describe('a change of a file', () => {
  it.for(unusualFileNames)(
    'with an unusual name opens and is shown side by side: %s',
    async ([, name], { start }) => {
      const chat = await startProgrammableChat(start, { ...size, files: { ...files, 'near.txt': '' } });
      const { nvim } = chat;
      const file = await chat.at(name);
      fs.writeFileSync(file, text);
      await chat.begin(aCall({ content: [aDiff(file, 'line 42\n', 'line 42!\n')] }));
      await waitForPhase(nvim, 'idle');
      await nvim.waitForScreen('42 + line 42!');
      await chat.goTo('+ line 42!');
      await nvim.input('<CR>');
      await nvim.waitFor(
        async () => (await nvim.lua("return vim.fn.getline('.')")) === 'line 42',
        'the line',
      );
      expect(await nvim.lua('return vim.api.nvim_buf_get_name(0)')).toBe(file);
      await chat.goTo('+ line 42!');
      await nvim.input('gd');
      await nvim.waitFor(() => nvim.lua('return #vim.api.nvim_list_tabpages() == 2'), 'the tab page');
      expect((await shown(nvim)).map(([, , lines]) => lines[41])).toEqual(['line 42', 'line 42!']);
    },
  );

  it('is not confused with a file whose name begins the same', async ({ start }) => {
    const chat = await startProgrammableChat(start, {
      ...size,
      files: { ...files, 'greet.lua.bak': 'old' },
      args: ['greet.lua.bak'],
    });
    const { nvim } = chat;
    await chat.begin(aCall({ content: [aDiff(await chat.at('greet.lua'), 'line 42\n', 'line 42!\n')] }));
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await chat.goTo('+ line 42!');
    await nvim.input('<CR>');
    await nvim.waitFor(async () => (await lineUnderCursor(nvim)) === 'greet.lua:line 42', 'the line');
  });

  it.for<[string, string, string]>([
    ['relative', 'greet.lua', 'greet.lua:line 42'],
    ['up and down', 'x/../greet.lua', 'greet.lua:line 42'],
    ['through a link', 'link/greet.lua', 'greet.lua:line 42'],
    ['of 4,096 characters', `/${'x'.repeat(4_095)}`, 'acp: file not found: …xxx'],
    ['with a NUL', '/a\0b', 'acp: file not found: /a'],
    ['empty', '', 'work:'],
    ['of a folder', 'folder', 'folder:'],
    ['of what can’t be read', '/proc/self/mem', 'mem:'],
    ['of a pipe', 'pipe', 'pipe is not a regular file'],
  ])('with a path that is %s is reported or opened', async ([, path, outcome], { start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    fs.symlinkSync('.', await chat.at('link'));
    fs.mkdirSync(await chat.at('folder'));
    execFileSync('mkfifo', [await chat.at('pipe')]);
    await chat.begin(aCall({ content: [aDiff(path, 'line 42\n', 'line 42!\n')], locations: [{ path }] }));
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await chat.goTo('+ line 42!');
    await nvim.input('gd');
    await nvim.waitFor(() => nvim.lua('return #vim.api.nvim_list_tabpages() == 2'), 'the tab page');
    const whole = !outcome.startsWith('greet') ? ['line 42!'] : numbers.with(41, 'line 42!');
    expect((await shown(nvim))[1]?.[2]).toEqual(whole);
    await nvim.input('q');
    await nvim.waitFor(() => nvim.lua('return #vim.api.nvim_list_tabpages() == 1'), 'it to close');
    await chat.goTo('+ line 42!');
    await nvim.input('<CR>');
    await nvim.waitFor(
      async () => `${await lineUnderCursor(nvim)}\n${await nvim.messages()}`.includes(outcome),
      outcome,
    );
  });

  it('is shown with the whole file when its line endings differ from the agent’s', async ({ start }) => {
    const chat = await startProgrammableChat(start, {
      ...size,
      files: { 'dos.txt': text.replaceAll('\n', '\r\n') },
    });
    const { nvim } = chat;
    const file = await chat.at('dos.txt');
    const [before, after] = ['line 41\nline 42\n', 'line 41\nline 42!\n'];
    await chat.begin(aCall({ content: [aDiff(file, before, after)] }));
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen('42 + line 42!');
    await chat.goTo('+ line 42!');
    await nvim.input('gd');
    await nvim.waitFor(() => nvim.lua('return #vim.api.nvim_list_tabpages() == 2'), 'the tab page');
    expect((await shown(nvim)).map(([, , lines]) => lines)).toEqual([numbers, numbers.with(41, 'line 42!')]);
  });
});

describe('a permission for a change', () => {
  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];

  it('offers to show the change first, and stays open', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const file = await chat.at('greet.lua');
    // Like an agent that sends its change only as a patch in the arguments.
    const diff = `--- a${file}\n+++ b${file}\n@@ -42 +42 @@\n-line 42\n+line 42!\n`;
    const toolCall = { toolCallId: 'c1', title: 'Edit', kind: 'edit', rawInput: { diff } };
    await chat.begin({ ask: 'session/request_permission', params: { toolCall, options } });
    expect(await chat.nextLabels()).toEqual(['Allow', 'Reject', 'See the change first']);
    await chat.pick('See the change first');
    await nvim.waitFor(() => nvim.lua('return #vim.api.nvim_list_tabpages() == 2'), 'the tab page');
    expect((await shown(nvim))[1]).toEqual(['greet.lua', true, numbers.with(41, 'line 42!')]);
    expect(await chat.timesAsked).toBe(1);
    await nvim.input('q');
    expect(await chat.nextLabels()).toEqual(['Allow', 'Reject', 'See the change first']);
    await chat.pick('Allow');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect((await transcript(nvim)).join('\n')).toContain('"optionId":"yes"');
  });

  it('offers to show a change that is only in the arguments, behind a title that is cut', async ({
    start,
  }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const path = await chat.at('greet.lua');
    const rawInput = { path, old_text: 'line 42\n', new_text: 'line 42!\n' };
    const title = `editor: ${JSON.stringify(rawInput).slice(0, 30)}...`;
    const toolCall = { toolCallId: 'c1', title, kind: 'edit', rawInput };
    await chat.begin({ ask: 'session/request_permission', params: { toolCall, options } });
    expect(await chat.nextLabels()).toEqual(['Allow', 'Reject', 'Make a rule …', 'See the change first']);
    await drawn(nvim);
    expect((await transcript(nvim)).join('\n')).toMatch(/- line 42\n.*\+ line 42!/);
    await chat.pick('See the change first');
    await nvim.waitFor(() => nvim.lua('return #vim.api.nvim_list_tabpages() == 2'), 'the tab page');
    expect((await shown(nvim))[1]).toEqual(['greet.lua', true, numbers.with(41, 'line 42!')]);
    await nvim.input('q');
  });

  it('compares a file that would be overwritten with its content', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const rawInput = { path: await chat.at('greet.lua'), content: 'all new\n' };
    const toolCall = { toolCallId: 'c1', title: 'Write greet.lua', kind: 'edit', rawInput };
    await chat.begin({ ask: 'session/request_permission', params: { toolCall, options } });
    await chat.nextLabels();
    await chat.pick('See the change first');
    await nvim.waitFor(() => nvim.lua('return #vim.api.nvim_list_tabpages() == 2'), 'the tab page');
    expect((await shown(nvim)).map(([, , lines]) => lines)).toEqual([numbers, ['all new']]);
    await nvim.input('q');
  });

  it('shows all its changes, and is asked again after the last', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const { nvim } = chat;
    const content = [
      aDiff(await chat.at('greet.lua'), 'line 42\n', 'line 42!\n'),
      aDiff('/new.lua', null, 'x'),
    ];
    const toolCall = { toolCallId: 'c1', title: 'Edit', kind: 'edit', content };
    await chat.begin({ ask: 'session/request_permission', params: { toolCall, options } });
    await chat.nextLabels();
    await chat.pick('See the change first');
    const tabs = (count: number) =>
      nvim.waitFor(() => nvim.lua(`return #vim.api.nvim_list_tabpages() == ${count}`), `${count} tab pages`);
    await tabs(3);
    expect((await shown(nvim)).map(([name]) => name)).toEqual(['greet.lua', 'greet.lua']);
    await nvim.input('q');
    await tabs(2);
    expect((await shown(nvim)).map(([, , lines]) => lines)).toEqual([[''], ['x']]);
    expect(await chat.timesAsked).toBe(1);
    await nvim.input('q');
    expect(await chat.nextLabels()).toEqual(['Allow', 'Reject', 'Make a rule …', 'See the change first']);
  });

  it('offers nothing to show when there is no change', async ({ start }) => {
    const chat = await startProgrammableChat(start, size);
    const toolCall = { toolCallId: 'c1', title: 'ls', kind: 'execute' };
    await chat.begin({ ask: 'session/request_permission', params: { toolCall, options } });
    expect(await chat.nextLabels()).toEqual(['Allow', 'Reject', 'Make a rule …']);
  });
});
