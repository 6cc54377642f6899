import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { aCall, startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { converse, startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { openTerminal, waitForTerminal } from '../support/nvim/terminal-buffer.ts';
import { allowEverything } from '../support/nvim/user.ts';

const clipboard = `
_G.copied = {}
local function copy(lines) table.insert(_G.copied, table.concat(lines, '\\n')) end
vim.g.clipboard = {
  name = 'test',
  copy = { ['+'] = copy, ['*'] = copy },
  paste = { ['+'] = function() return {} end, ['*'] = function() return {} end },
}`;

it.for([
  ['with a semicolon', String.raw`\033]52;c;ZXZpbA==\007`],
  ['without a semicolon', String.raw`\033]52c;ZXZpbA==\007`],
  ['with a control character after ESC', String.raw`\033\001]52;c;ZXZpbA==\007`],
  ['with a byte beyond ASCII after ESC', String.raw`\033\235]52;c;ZXZpbA==\007`],
  ['around another one', String.raw`\033]5\033]52;c;x\0072;c;ZXZpbA==\007`],
] as const)(
  'the output of a command does not set the clipboard: a sequence %s',
  async ([, sequence], { start }) => {
    const nvim = await startChat(start, { init: `${allowEverything}${clipboard}` });
    // The shell waits until the terminal is shown, so that its output reaches the buffer as it is.
    await openTerminal(nvim, `read x; printf '${sequence}done'; sleep 100`);
    await nvim.input('i<CR>');
    await waitForTerminal(nvim, 'done');
    await nvim.lua("vim.fn.setreg('+', 'mine')");
    expect(await nvim.lua('return _G.copied')).toEqual(['mine']);
  },
);

describe('output that makes a terminal of Neovim crash or hang', () => {
  const many = Array(64).fill('1').join(';');

  it.for([
    ['many parameters', String.raw`\033[${many}m`],
    ['a repetition of nothing', String.raw`\033[9b`],
    ['a repetition of a wide character', String.raw`x\346\227\245\033[999b`],
    ['a control character in insert mode', String.raw`\033[4h\302\200x\302\033[m\200x`],
  ] as const)('is shown without the sequence: %s', async ([, sequence], { start }) => {
    const nvim = await startChat(start, { init: allowEverything });
    await openTerminal(nvim, `read x; printf '${sequence}\\r\\ndone'; sleep 100`);
    await nvim.input('i<CR>');
    await waitForTerminal(nvim, 'done');
  });

  it('is shown without the sequence in a long text of the agent', async ({ start }) => {
    const chat = await startProgrammableChat(start, { init: clipboard });
    const text = `one\n\x1b[${many}mtwo\x1b\x01]52;c;ZXZpbA==\x07\n${'more\n'.repeat(500)}end`;
    const content = [{ type: 'content', content: { type: 'text', text } }];
    const call = aCall({ title: 'hostile', kind: 'other', status: 'completed', content });
    const steps = path.join(chat.nvim.sandbox.env.XDG_STATE_HOME!, 'steps.json');
    fs.writeFileSync(steps, JSON.stringify([call]));
    await converse(chat.nvim, JSON.stringify([{ stepsOf: steps }]));
    await chat.goTo('hostile');
    await chat.nvim.input('za');
    await chat.nvim.waitForScreen('    one');
    await chat.goTo('more lines · <CR> shows all');
    await chat.nvim.input('<CR>');
    const isTerminal = async () => (await chat.nvim.lua<string>('return vim.bo.buftype')) === 'terminal';
    await chat.nvim.waitFor(isTerminal, 'the terminal buffer');
    await waitForTerminal(chat.nvim, 'end');
    await chat.nvim.lua("vim.fn.setreg('+', 'mine')");
    expect(await chat.nvim.lua('return _G.copied')).toEqual(['mine']);
  });
});

describe('a name in the output of a command that would start a program', () => {
  const hostile = 'term://touch:3: oops';
  const terminals = (nvim: TestNvim) =>
    nvim.lua<string[]>(
      `return vim.tbl_filter(function(name) return vim.startswith(name, 'term://') end,
        vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs()))`,
    );

  it('is not opened by the keys that go to a file', async ({ start }) => {
    const nvim = await startChat(start, { init: allowEverything });
    await openTerminal(nvim, `printf '${hostile}\\npipe\\n'; read x`);
    await waitForTerminal(nvim, 'oops');
    for (const keys of ['gf', 'gF', '<C-w>f', '<C-w>F', '<C-w>gf', '<C-w>gF', 'vt:f/;gf', 'v$<C-w>f'])
      await nvim.input(`gg0${keys}<Esc>`);
    await nvim.waitFor(
      async () => (await nvim.lua<string>('return vim.fn.execute("messages")')).includes('term://'),
      'the message',
    );
    expect(await terminals(nvim)).toEqual([]);
    expect(await nvim.lua('return vim.bo.buftype')).toBe('terminal');
  });

  it('is not opened from the transcript', async ({ start }) => {
    const nvim = await startChat(start, { init: allowEverything });
    await nvim.command(`AcpSend run printf '${hostile}\\n'`);
    await nvim.waitForScreen('    term://touch:3: oops');
    await nvim.lua(
      `local chat = require('acp.chats').current()
       vim.api.nvim_set_current_win(vim.fn.bufwinid(chat.buf))
       vim.fn.search('^    term:')`,
    );
    for (const keys of ['gf', 'gF', '<C-w>f', '<C-w>F', '<C-w>gf', '<C-w>gF', 'v$<C-w>f', 'v$gf'])
      await nvim.input(`^${keys}<Esc>`);
    await nvim.waitFor(
      async () => (await nvim.lua<string>('return vim.fn.execute("messages")')).includes('term://'),
      'the message',
    );
    expect(await terminals(nvim)).toEqual([]);
  });

  it('does not come into the quickfix list', async ({ start }) => {
    const nvim = await startChat(start, { init: allowEverything, files: { 'one.c': '' } });
    execFileSync('mkfifo', [nvim.sandbox.path('pipe.c')]);
    await openTerminal(nvim, `printf '${hostile}\\npipe.c:1: oops\\none.c:1: real\\n'; read x`);
    await waitForTerminal(nvim, 'real');
    await nvim.input('gq');
    await nvim.waitFor(
      async () => (await nvim.lua<string>('return vim.bo.buftype')) === 'quickfix',
      'the list',
    );
    expect(
      await nvim.lua('return vim.tbl_map(function(item) return item.text end, vim.fn.getqflist())'),
    ).toEqual([' real']);
    expect(await terminals(nvim)).toEqual([]);
  });
});

it('a key that goes to a pipe does not stop Neovim', async ({ start }) => {
  const nvim = await startChat(start, { init: allowEverything });
  execFileSync('mkfifo', [nvim.sandbox.path('pipe')]);
  await openTerminal(nvim, "printf 'pipe\\n'; read x");
  await waitForTerminal(nvim, 'pipe');
  await nvim.input('gg0gf');
  await nvim.waitFor(
    async () => (await nvim.lua<string>('return vim.fn.execute("messages")')).includes('not a regular file'),
    'the message',
  );
});

it('a command with invisible characters is shown with signs above its terminal and its list', async ({
  start,
}) => {
  const nvim = await startChat(start, { init: allowEverything, files: { 'one.c': '' } });
  await openTerminal(nvim, "printf 'one.c:1: real\\n'; read x # \u202e\u200b");
  await waitForTerminal(nvim, 'real');
  const shown = await nvim.lua<string>('return vim.b.acp_terminal .. vim.wo.winbar');
  await nvim.input('gq');
  await nvim.waitFor(
    async () => (await nvim.lua<string>('return vim.bo.buftype')) === 'quickfix',
    'the list',
  );
  const title = await nvim.lua<string>('return vim.fn.getqflist({ title = 1 }).title');
  for (const text of [shown, title]) {
    expect(text).toContain('read x #');
    expect(text).not.toMatch(/[\u202e\u200b]/);
  }
});
