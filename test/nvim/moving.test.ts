import { describe, expect } from 'vitest';
import { aCall, aDiff, startEditingChat } from '../support/agents/programmable-chat.ts';
import {
  converse,
  drawn,
  promptText,
  startChat,
  transcript,
  waitForPhase,
  windows,
} from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const line = (nvim: TestNvim) => nvim.lua<string>('return vim.api.nvim_get_current_line()');
const mode = (nvim: TestNvim) => nvim.lua<string>('return vim.api.nvim_get_mode().mode');

describe('a key of Insert mode in the transcript', () => {
  const click = async (nvim: TestNvim) => {
    const at = nvim.screen.lines()[1]!.indexOf('Tour');
    await nvim.client.request('nvim_input_mouse', ['left', 'press', '', 0, 1, at]);
    await nvim.client.request('nvim_input_mouse', ['left', 'release', '', 0, 1, at]);
  };
  const byApi = (nvim: TestNvim) =>
    nvim.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chats').current().buf))");

  it.for<[string, (nvim: TestNvim) => Promise<unknown>, string, string]>([
    ['letters after a click', click, 'Good day, 12 é ü ñ 語 "x" \\', 'draft Good day, 12 é ü ñ 語 "x" \\'],
    ['letters after a move of a plugin', byApi, 'Good', 'draft Good'],
    ['a new line', click, '<CR>two<CR>three', 'draft \ntwo\nthree'],
    ['a letter and a new line', byApi, 'a<CR>b', 'draft a\nb'],
    ['keys that delete', click, '<BS><BS>x', 'drafx'],
    ['<C-w>', click, '<C-w>x', 'x'],
    ['a register', click, '<C-r>=1+1<CR>!', 'draft 2!'],
    ['a digit and < and |', click, '1<lt>|', 'draft 1<|'],
  ])('reaches the prompt: %s', async ([, move, keys, expected], { start }) => {
    const nvim = await startChat(start);
    await nvim.input('idraft ');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'draft ', 'the draft');
    await move(nvim);
    await nvim.waitFor(() => nvim.lua("return vim.bo.filetype == 'acp'"), 'the transcript');
    expect(await mode(nvim)).toBe('i');
    await nvim.input(keys);
    await nvim.waitFor(async () => (await promptText(nvim)) === expected, expected);
    expect(await nvim.lua('return { vim.bo.filetype, vim.api.nvim_get_mode() }')).toEqual([
      'acp-prompt',
      { mode: 'i', blocking: false },
    ]);
    expect(await nvim.messages()).toBe('');
  });

  it('sends the prompt if it is the key that sends', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihelp');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'help', 'the draft');
    await byApi(nvim);
    await nvim.input('<C-s>');
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((text) => text === '▎help' || text === 'help'),
      'the prompt',
    );
    expect(await nvim.messages()).toBe('');
  });

  it('opens a prompt window that was closed', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input(':q<CR><C-w>ti');
    await nvim.waitFor(async () => (await mode(nvim)) === 'i', 'Insert mode');
    await byApi(nvim);
    await nvim.input('text');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'text', 'the text');
    expect(await nvim.messages()).not.toContain('E21');
  });
});

describe('a key that inserts', () => {
  it.for<[string, string]>([
    ['i', 'one\ntw-o'],
    ['a', 'one\ntwo-'],
    ['I', 'one\n-two'],
    ['A', 'one\ntwo-'],
    ['o', 'one\ntwo\n-'],
    ['O', 'one\n-\ntwo'],
  ])('%s in the transcript writes in the prompt', async ([key, expected], { start }) => {
    const nvim = await startChat(start);
    await nvim.input('ione<CR>two<Esc><C-w>k');
    await nvim.input(`${key}-`);
    await nvim.waitFor(async () => (await promptText(nvim)) === expected, expected);
    expect(await nvim.lua('return vim.bo.filetype')).toBe('acp-prompt');
  });

  it('makes no empty line in an empty prompt', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('<C-w>kotext');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'text', 'the text');
  });

  it('opens a prompt window that was closed', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input(':q<CR><C-w>kitext');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'text', 'the text');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
    expect(await nvim.messages()).not.toContain('E21');
  });
});

describe('the keys ]t and [t', () => {
  it('go to tool calls, with a count, the jump list and a selection', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'tools');
    await converse(nvim, 'tools');
    const lines = await transcript(nvim);
    const isHeading = (text: string) => /^[✓✗●○⊘·] (read|search|edit|delete|run|fetch|tool)\b/.test(text);
    const headings = lines.flatMap((text, index) => (isHeading(text) ? [index + 1] : []));
    expect(headings.length).toBeGreaterThan(4);
    await nvim.command('wincmd k');
    const press = async (keys: string, row: number | undefined) => {
      await nvim.input(keys);
      await nvim.waitFor(async () => (await nvim.lua("return vim.fn.line('.')")) === row, `${keys}: ${row}`);
    };
    await press('gg]t', headings[0]);
    await press(']t', headings[1]);
    await press('2]t', headings[3]);
    await press('<C-o>', headings[1]);
    await press('G[t', headings.at(-1));
    await press('2[t', headings.at(-3));
    await press('V]t', headings.at(-2));
    expect(await mode(nvim)).toBe('V');
    await press('<Esc>99[t', headings[0]);
  });
});

describe('the keys that fold', () => {
  it('open and close the entry under the cursor, or all', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'think');
    await converse(nvim, 'tools');
    const closed = await transcript(nvim);
    const isClosed = async () => (await transcript(nvim)).join() === closed.join();
    const isLonger = async () => (await transcript(nvim)).length > closed.length;
    await nvim.command('wincmd k | normal! gg');
    await nvim.lua("vim.fn.search('thought for')");
    for (const [open, close] of [
      ['zo', 'zc'],
      ['zozo', 'zczc'],
      ['za', 'za'],
    ] as const) {
      await nvim.input(open);
      await nvim.waitFor(isLonger, `${open} to open`);
      expect(await line(nvim)).toMatch(/^▾ thought/);
      await nvim.input(close);
      await nvim.waitFor(isClosed, `${close} to close`);
    }
    await nvim.input('zR');
    await nvim.waitFor(isLonger, 'zR to open');
    await drawn(nvim);
    const all = await transcript(nvim);
    expect(all.join('\n')).toContain('▾ thought');
    await nvim.input('zR');
    await drawn(nvim);
    expect(await transcript(nvim)).toEqual(all);
    await nvim.input('zM');
    await nvim.waitFor(async () => !(await transcript(nvim)).join('\n').includes('▾'), 'zM to close');
    await drawn(nvim);
    const none = await transcript(nvim);
    expect(none.length).toBeLessThanOrEqual(closed.length);
    await nvim.input('zM');
    await drawn(nvim);
    expect(await transcript(nvim)).toEqual(none);
  });

  it('close a short diff that is open from the start', async ({ start }) => {
    const chat = await startEditingChat(start, { files: { 'a.txt': 'one\n' } });
    await chat.begin(aCall({ content: [aDiff(chat.at('a.txt'), 'one\n', 'two\n')] }));
    const has = async (text: string) => (await transcript(chat.nvim)).some((each) => each.includes(text));
    await chat.nvim.waitFor(() => has('+ two'), 'the diff');
    await waitForPhase(chat.nvim, 'idle');
    await chat.nvim.input('<C-w>kzM');
    await chat.nvim.waitFor(async () => !(await has('+ two')), 'zM to close it');
    await chat.nvim.input('zR');
    await chat.nvim.waitFor(() => has('+ two'), 'zR to open it');
  });
});

describe('<C-c> in Insert mode', () => {
  it('leaves Insert mode; the next one stops the turn', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpSend hang');
    await waitForPhase(nvim, 'running');
    await nvim.input('ihalf<C-c>');
    await nvim.waitFor(async () => (await mode(nvim)) === 'n', 'Normal mode');
    await waitForPhase(nvim, 'running');
    await nvim.input('<C-c>');
    await waitForPhase(nvim, 'idle');
    expect(await promptText(nvim)).toMatch(/half$/);
  });

  it('stops the turn at once with the option', async ({ start }) => {
    const nvim = await startChat(start, { config: '{ stop_from_insert = true }', columns: 120 });
    await nvim.input('i');
    await nvim.command('AcpSend hang');
    await nvim.waitForScreen('<C-s> queue · <C-c> stop');
    await waitForPhase(nvim, 'running');
    await nvim.input('<C-c>');
    await waitForPhase(nvim, 'idle');
    expect(await mode(nvim)).toBe('n');
  });
});
