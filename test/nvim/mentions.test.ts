import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { converse, promptText, startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { aPng } from '../support/pictures.ts';

function write(nvim: TestNvim, name: string, text: string): string {
  const file = path.join(nvim.sandbox.cwd, name);
  fs.writeFileSync(file, text);
  return file;
}

const attachedLines = async (nvim: TestNvim) =>
  (await transcript(nvim)).filter((line) => /^ {2}[▪▣▸]/.test(line));

describe('a file that a prompt mentions', () => {
  it('is sent with its text and stands below the prompt', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    write(nvim, 'notes.md', 'one\ntwo\nthree\n');
    await converse(nvim, 'resources @notes.md:2-3 please');
    const lines = await transcript(nvim);
    expect(lines).toContain('resources @notes.md:2-3 please');
    expect((await attachedLines(nvim))[0]).toBe('  ▪ notes.md:2-3');
    expect(lines.join('\n')).toMatch(/notes\.md#L2-3`, .*2 lines, first line: `two`/);
  });

  it('is sent as its buffer has it, with unsaved changes', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    write(nvim, 'notes.md', 'one\n');
    await nvim.command('topleft split notes.md');
    await nvim.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'two', 'three', 'four' })");
    await converse(nvim, 'resources @notes.md');
    expect((await transcript(nvim)).join('\n')).toMatch(/notes\.md`, .*4 lines/);
  });

  it('opens from the transcript at its line', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    const file = write(nvim, 'notes.md', 'one\ntwo\nthree\n');
    await converse(nvim, 'hello @notes.md:2-3');
    await nvim.lua(`
      local buf = require('acp.chats').current().buf
      vim.api.nvim_set_current_win(vim.fn.bufwinid(buf))
      vim.fn.search('▪ notes.md:2-3', 'w')`);
    await nvim.input('<CR>');
    await nvim.waitFor(
      async () => (await nvim.lua<string>('return vim.api.nvim_buf_get_name(0)')) === fs.realpathSync(file),
      'the file',
    );
    expect(await nvim.lua('return vim.fn.line(".")')).toBe(2);
  });

  it('that is missing stays as text, and the chat says so', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    await converse(nvim, 'hello @src/missing.ts');
    const lines = await transcript(nvim);
    expect(lines).toContain('· @src/missing.ts: there is no such file; sent as text');
    expect(await attachedLines(nvim)).toEqual([]);
  });
});

describe('a prompt with a mention', () => {
  it.for([
    ['secret.txt', '  ▪ secret.txt'],
    ['inside.txt', '  ▪ inside.txt'],
  ] as const)(
    '%s is a link that is marked if it leads out of the folders',
    async ([name, chip], { start }) => {
      const nvim = await startChat(start, { columns: 200 });
      const outside = path.join(nvim.sandbox.root, 'outside.txt');
      fs.writeFileSync(outside, 'a secret\n');
      write(nvim, 'notes.md', 'one\n');
      fs.symlinkSync(name === 'secret.txt' ? outside : 'notes.md', path.join(nvim.sandbox.cwd, name));
      await converse(nvim, `resources @${name}`);
      expect(await attachedLines(nvim)).toContain(chip);
      const marked = (await transcript(nvim)).filter((line) => line.includes('outside of the folders'));
      expect(marked).toEqual(
        name === 'secret.txt'
          ? [`· secret.txt leads to ${fs.realpathSync(outside)}, outside of the folders of this session`]
          : [],
      );
    },
  );

  it('is named in a notice that is indented where it wraps', async ({ start }) => {
    const nvim = await startChat(start, { columns: 100 });
    const long = `${'long-name-'.repeat(12)}.txt`;
    write(nvim, long, 'one\n');
    await converse(nvim, `resources @${long} @missing/${long}`);
    // The columns at which the screen lines of the line begin.
    const columns = await nvim.lua<number[]>(
      `local chat = require('acp.chats').current()
       local win = vim.fn.bufwinid(chat.buf)
       for row, line in ipairs(vim.api.nvim_buf_get_lines(chat.buf, 0, -1, false)) do
         if vim.startswith(line, ...) then
           vim.api.nvim_win_set_cursor(win, { row, 0 })
           vim.cmd.redraw()
           local columns, last = {}, 0
           for column = 1, #line do
             local at = vim.fn.screenpos(win, row, column)
             if at.row > last then
               table.insert(columns, at.col)
               last = at.row
             end
           end
           return columns
         end
       end`,
      '· @',
    );
    expect(columns.length).toBeGreaterThan(1);
    // Neovim 0.10 counts the bytes of the mark.
    expect([2, 3]).toContain(columns[1]! - columns[0]!);
  });

  it('is sent once, also if the key is pressed twice', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    write(nvim, 'notes.md', 'one\n');
    await nvim.input('ihello @notes.md<Esc><CR><CR>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'an empty prompt');
    await converse(nvim, 'hello again');
    expect((await transcript(nvim)).filter((line) => line === 'You')).toHaveLength(2);
  });
});

it('the tour says what it received, and sends a link, a text and a picture', async ({ start }) => {
  const nvim = await startChat(start, { columns: 160, lines: 50 });
  fs.writeFileSync(nvim.sandbox.path('shot.png'), aPng(64, 48));
  write(nvim, 'notes.md', 'one\ntwo\n');
  await converse(nvim, 'resources @notes.md @shot.png');
  const received = (await transcript(nvim)).filter((line) => line.startsWith('- '));
  expect(received).toEqual([
    expect.stringMatching(/^- text `file:.*\/notes\.md`, .*8 bytes, 2 lines, first line: `one`$/),
    expect.stringMatching(/^- picture `file:.*\/shot\.png`, image\/png, \d+ bytes, 64×48 pixels$/),
  ]);
  expect(await attachedLines(nvim)).toEqual([
    '  ▪ notes.md',
    '  ▣ shot.png 64×48',
    '  ▪ protocol',
    '  ▪ note.txt',
    '  ▣ gradient.png 64×48',
  ]);
});
