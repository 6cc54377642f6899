import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';
import { openFiles } from '../support/nvim/open-files.ts';
import { fc } from '../support/property.ts';

const text = 'one\ntwo\nthree\n';

describe('a file and its buffer', () => {
  const units = fc.constantFrom('a', 'ä', '€', '\n', '\n\n', '\r\n', '\r', '\t', '😀');
  const contents = fc.oneof(
    fc.string({ unit: units, maxLength: 12 }).map((body) => Buffer.from(body)),
    fc.string({ unit: fc.constantFrom('a', '\0', '\n'), maxLength: 8 }).map((body) => Buffer.from(body)),
    fc
      .array(fc.constantFrom('a\r\n', '\r\n', 'ä\r\n', 'b'), { maxLength: 6 })
      .map((parts) => Buffer.from(parts.join(''))),
    fc.string({ unit: units, maxLength: 8 }).map((body) => Buffer.from(`\ufeff${body}`)),
    // Neovim treats half a character at the end of a file as damage, not as another encoding.
    fc
      .string({ unit: fc.constantFrom('a', '\xe4', '\xff', '\n'), maxLength: 8 })
      .map((body) => Buffer.from(`${body}.`, 'latin1')),
    fc
      .string({ unit: fc.constantFrom('a', 'ä', '€', '\n', '😀'), maxLength: 8 })
      .map((body) => Buffer.from(`\ufeff${body}`, 'utf16le')),
    fc
      .string({ unit: fc.constantFrom('a', 'ä', '\n'), maxLength: 8 })
      .map((body) => Buffer.from(`\ufeff${body}`, 'utf16le').swap16()),
  );
  const range = fc.record({
    line: fc.integer({ min: 1, max: 8 }),
    limit: fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined }),
  });

  it('have the same lines for every range', { timeout: shortOrLong(60_000, 600_000) }, async ({ start }) => {
    const { nvim, read, at } = await openFiles(start);
    await nvim.command('set noswapfile');
    await fc.assert(
      fc.asyncProperty(contents, range, async (bytes, { line, limit }) => {
        await nvim.command('silent %bwipeout!');
        fs.writeFileSync(at('a.txt'), bytes);
        const onDisk = [await read('a.txt'), await read('a.txt', line, limit)];
        await nvim.command('silent edit a.txt');
        expect([await read('a.txt'), await read('a.txt', line, limit)]).toEqual(onDisk);
      }),
      { numRuns: shortOrLong(100, 2_000) },
    );
  });
});

describe('a buffer that is read', () => {
  it.for<[string, string]>([
    ['not in the list', 'setlocal nobuflisted'],
    ['hidden', 'set hidden | enew'],
    ['in another tab page', 'tabnew'],
    ['opened from another folder', 'cd sub'],
    ['opened from a folder of its window', 'lcd sub'],
    ['below a folder that follows the file', 'set hidden autochdir | edit sub/b.txt'],
    ['written by a plugin', 'setlocal buftype=acwrite'],
  ])('%s: gives the text of the buffer', async ([, command], { start }) => {
    const { nvim, read } = await openFiles(start, { 'a.txt': text, 'sub/b.txt': '' });
    await nvim.command(`edit a.txt | call setline(1, "ONE") | ${command}`);
    expect(await read('sub/../a.txt')).toBe(text.replace('one', 'ONE'));
  });

  it.for<[string, string]>([
    ['a picture of it', 'edit a.txt | setlocal buftype=nofile | call setline(1, "x")'],
    ['one of a plugin with a name around it', 'edit oil://a.txt | call setline(1, "x")'],
    ['one that is not loaded', 'edit a.txt | call setline(1, "x") | edit! | enew | bunload a.txt'],
    ['one of the same beginning', 'edit a.txt.bak | call setline(1, "x")'],
  ])('%s: does not stand for the file', async ([, command], { start }) => {
    const { nvim, read } = await openFiles(start, { 'a.txt': text });
    await nvim.command(`set noswapfile hidden | ${command}`);
    expect(await read('a.txt')).toBe(text);
  });

  it('is found under all names of its file', async ({ start }) => {
    const { nvim, read, write, lines, onDisk, at, answers } = await openFiles(start, { 'a/a.txt': text });
    fs.linkSync(at('a/a.txt'), at('hard.txt'));
    fs.symlinkSync('a', at('folder'));
    fs.symlinkSync('folder/a.txt', at('soft.txt'));
    await nvim.command('edit folder/a.txt | call setline(1, "ONE")');
    for (const name of ['a/a.txt', 'folder/a.txt', 'soft.txt', 'hard.txt', 'a/../folder/./a.txt']) {
      expect(await read(name)).toMatch(/^ONE\n/);
    }
    answers.push(true);
    await write('hard.txt', 'ONE\ntwo\nTHREE\n');
    expect(await lines()).toEqual(['ONE', 'two', 'THREE']);
    expect(onDisk('a/a.txt')).toBe('one\ntwo\nTHREE\n');
    expect(onDisk('hard.txt')).toBe('one\ntwo\nTHREE\n');
  });
});

it('is neither created, loaded nor listed by reading', async ({ start }) => {
  const { nvim, read, at } = await openFiles(start, { 'a.txt': text, 'b.txt': text });
  await nvim.command('edit b.txt | enew | bunload b.txt | call bufadd("a.txt")');
  const buffers = () =>
    nvim.lua(`return vim.tbl_map(function(buf)
      return { buf, vim.api.nvim_buf_get_name(buf), vim.api.nvim_buf_is_loaded(buf), vim.bo[buf].buflisted }
    end, vim.api.nvim_list_bufs())`);
  const before = await buffers();
  fs.mkdirSync(at('folder'));
  for (const name of ['a.txt', 'b.txt', 'none.txt', 'folder']) await read(name).catch(() => undefined);
  expect(await buffers()).toEqual(before);
});

describe('something that is not a text file', () => {
  it.for<[string, (name: string) => void, RegExp]>([
    ['a pipe', (name) => execFileSync('mkfifo', [name]), /is not a regular file/],
    ['a device', (name) => fs.symlinkSync('/dev/zero', name), /is not a regular file/],
    ['a symlink loop', (name) => fs.symlinkSync(name, name), /is part of a symlink loop/],
    ['a folder', (name) => fs.mkdirSync(name), /is a folder/],
  ])('%s: is refused immediately, by reading and by writing', async ([, make, reason], { start }) => {
    const { read, write, at, answers } = await openFiles(start);
    answers.push(true, true);
    make(at('odd'));
    for (const act of [() => read('odd'), () => read('odd', 2, 3), () => write('odd', 'x')]) {
      answers.push(true);
      await expect(act()).rejects.toMatchObject({
        code: 'bad_params',
        message: expect.stringMatching(reason),
      });
    }
  });
});

describe('a file that an agent has read partly', () => {
  const long = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  const whole = `${long.join('\n')}\n`;

  it('keeps the changes of the user in other lines', async ({ start }) => {
    const { nvim, read, write, lines } = await openFiles(start, { 'a.txt': whole });
    await nvim.command('edit a.txt');
    await read('a.txt');
    await nvim.command('call setline(18, "typed") | write');
    await read('a.txt', 1, 5);
    await write('a.txt', `${long.with(1, 'agent').join('\n')}\n`);
    expect(await lines()).toEqual(long.with(1, 'agent').with(17, 'typed'));
  });

  it('can be changed where it was read', async ({ start }) => {
    const { nvim, read, write, lines } = await openFiles(start, { 'a.txt': whole });
    await nvim.command('edit a.txt');
    await read('a.txt');
    await nvim.command('call setline(18, "typed") | write');
    expect(await read('a.txt', 17, 2)).toBe('line 17\ntyped\n');
    await write('a.txt', `${long.with(17, 'typed, and more').join('\n')}\n`);
    expect(await lines()).toEqual(long.with(17, 'typed, and more'));
  });

  it('counts as read completely when there were no more lines', async ({ start }) => {
    const { nvim, read, write, lines } = await openFiles(start, { 'a.txt': whole });
    await read('a.txt', 1, 1_000);
    await nvim.command('edit a.txt | call setline(18, "typed") | write');
    await write('a.txt', `${long.with(1, 'agent').join('\n')}\n`);
    expect(await lines()).toEqual(long.with(1, 'agent').with(17, 'typed'));
  });
});
