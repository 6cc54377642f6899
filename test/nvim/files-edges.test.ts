import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { NvimEditor } from '../../src/nvim/editor.ts';
import { changeBuffer, readBuffer } from '../../src/workspace/files/buffer.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { it } from '../support/nvim/it.ts';
import { openFiles } from '../support/nvim/open-files.ts';
import { isMet } from '../support/system/requirements.ts';
import { unusualFileNames } from '../support/system/unusual-file-names.ts';

const text = 'one\ntwo\nthree\nfour\nfive\n';

describe('a path with an unusual name', () => {
  it.for(unusualFileNames)(
    '%s: is read and written, with and without a buffer',
    async ([, name], { start }) => {
      const { nvim, read, write, onDisk, at } = await openFiles(start);
      await write(name, text);
      expect(onDisk(name)).toBe(text);
      expect(await read(name)).toBe(text);
      await nvim.lua(
        "local b = vim.fn.bufadd(...) vim.fn.bufload(b) vim.api.nvim_buf_set_lines(b, 0, 1, true, { 'ONE' })",
        at(name),
      );
      expect(await read(name)).toBe(text.replace('one', 'ONE'));
      await write(name, text.replace('one', 'ONE').replace('five', 'FIVE'));
      expect(onDisk(name)).toBe(text.replace('five', 'FIVE'));
    },
  );

  it('of 4,096 characters is refused', async ({ start }) => {
    const { read, write } = await openFiles(start);
    const name = 'long/'.repeat(820);
    await expect(read(name)).rejects.toMatchObject({ code: 'bad_params' });
    await expect(write(name, 'x')).rejects.toMatchObject({ code: 'bad_params' });
  });

  // A file system that takes a and A for one name has to be there for that.
  it.skipIf(!isMet(process.platform !== 'linux', 'file names are case-sensitive on Linux'))(
    'finds the buffer in another case',
    async ({ start }) => {
      const { nvim, read } = await openFiles(start, { 'Name.txt': text });
      await nvim.command('edit Name.txt | call setline(1, "ONE")');
      expect(await read('name.TXT')).toMatch(/^ONE\n/);
    },
  );
});

// Between the check of a path and the read of its buffer, an agent may put a link there.
describe('a path that has become a link to a file outside', () => {
  it('has no buffer, also if the file has one', async ({ start }) => {
    const { nvim, at } = await openFiles(start, { 'd/a.txt': text });
    const outside = `${at('d')}-outside`;
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'a.txt'), text);
    await nvim.command(`edit ${path.join(outside, 'a.txt')} | call setline(1, "secret")`);
    const editor = new NvimEditor(nvim.client, new LogDouble());
    fs.rmSync(at('d/a.txt'));
    fs.symlinkSync(path.join(outside, 'a.txt'), at('d/a.txt'));
    expect(await readBuffer(editor, { path: at('d/a.txt') })).toBeUndefined();
    fs.rmSync(at('d'), { recursive: true });
    fs.symlinkSync(outside, at('d'));
    expect(await readBuffer(editor, { path: at('d/a.txt') })).toBeUndefined();
    expect(await readBuffer(editor, { path: path.join(outside, 'a.txt') })).toBeDefined();
  });
});

// Neovim resolves the links of a folder that is there already.
it('the buffer of a file that is not there yet is found through a link to its folder', async ({ start }) => {
  const { nvim, read, write, lines, at, onDisk } = await openFiles(start);
  await nvim.command('set hidden | edit link/other.txt | edit link/new.txt | call setline(1, "typed")');
  fs.mkdirSync(at('real'));
  fs.symlinkSync(at('real'), at('link'));
  expect(await read('real/new.txt')).toBe('typed\n');
  await nvim.command('edit link/other.txt');
  await write('real/other.txt', 'agent\n');
  expect(await lines()).toEqual(['agent']);
  expect(onDisk('real/other.txt')).toBe('agent\n');
});

describe('a buffer in another encoding', () => {
  it.for<[string, Buffer, string, string, Buffer]>([
    ['latin1', Buffer.from('\xe4\n', 'latin1'), 'ä\n', 'ö\n', Buffer.from('\xf6\n', 'latin1')],
    ['utf-16le', Buffer.from('\ufeffä\n', 'utf16le'), 'ä\n', 'ö\n', Buffer.from('\ufeffö\n', 'utf16le')],
  ])(
    'is decoded for the agent and encoded as :write does: %s',
    async ([, bytes, before, after, expected], { start }) => {
      const { nvim, read, write, at } = await openFiles(start);
      fs.writeFileSync(at('a.txt'), bytes);
      await nvim.command('edit a.txt');
      expect(await read('a.txt')).toBe(before);
      await write('a.txt', after);
      expect(fs.readFileSync(at('a.txt'))).toEqual(expected);
      await nvim.command('edit! a.txt');
      expect(await read('a.txt')).toBe(after);
    },
  );

  it.for<[string, string, (text: string) => Buffer]>([
    ['sjis', '日', (text) => Buffer.from(text.replaceAll('日', '\x93\xfa'), 'latin1')],
    ['cp1252', '€', (text) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1')],
    ['utf-16le without a byte order mark', '日', (text) => Buffer.from(text, 'utf16le')],
  ])('that only Neovim can decode is written by Neovim: %s', async ([name, sign, bytes], { start }) => {
    const { nvim, service, read, write, lines, at } = await openFiles(start);
    fs.writeFileSync(at('a.txt'), bytes(`${sign}\ntwo\nthree\n`));
    await nvim.command(`edit ++enc=${name.split(' ')[0]} a.txt`);
    expect(await read('a.txt')).toBe(`${sign}\ntwo\nthree\n`);
    await write('a.txt', `${sign}\ntwo\n${sign}${sign}\n`);
    expect(fs.readFileSync(at('a.txt'))).toEqual(bytes(`${sign}\ntwo\n${sign}${sign}\n`));
    await nvim.command('call setline(1, "typed")');
    await write('a.txt', `${sign}\ntwo\nend\n`);
    // What is on disk can't be told from what is unsaved, so nothing is saved.
    expect(fs.readFileSync(at('a.txt'))).toEqual(bytes(`${sign}\ntwo\n${sign}${sign}\n`));
    expect(await lines()).toEqual(['typed', 'two', 'end']);
    await nvim.command('write');
    expect(fs.readFileSync(at('a.txt'))).toEqual(bytes('typed\ntwo\nend\n'));
    fs.writeFileSync(at('a.txt'), bytes(`from elsewhere\n${sign}\n`));
    await service.changedOnDisk(at('a.txt'));
    expect(await read('a.txt')).toBe(`from elsewhere\n${sign}\n`);
    expect(await lines()).toEqual(['from elsewhere', sign]);
    expect(await nvim.lua('return vim.bo.modified')).toBe(false);
  });

  it.for<[string, number[], number]>([
    ['a single byte', [0xff], 1],
    ['a truncated character', [0xf0, 0x9f, 0x98], 1],
    ['a truncated character in a long text', [0xf0, 0x9f, 0x98], 2_000],
  ])('is not written while it contains %s that is not UTF-8', async ([, bytes, count], { start }) => {
    const { nvim, write, at } = await openFiles(start);
    const before = Buffer.from('one \ufffd\n'.repeat(count));
    const content = Buffer.from([...before, ...bytes, ...Buffer.from('\nthree\n')]);
    fs.writeFileSync(at('a.txt'), content);
    await nvim.command('edit ++enc=utf-8 ++bad=keep a.txt');
    await expect(write('a.txt', 'one\ntwo\nTHREE\n')).rejects.toThrow(
      "bytes that are not UTF-8; it can't be changed",
    );
    expect(fs.readFileSync(at('a.txt'))).toEqual(content);
  });

  it('refuses a character that it can’t express, and does not change', async ({ start }) => {
    const { nvim, write, at, lines } = await openFiles(start);
    fs.writeFileSync(at('a.txt'), Buffer.from('\xe4\n', 'latin1'));
    await nvim.command('edit a.txt');
    await expect(write('a.txt', '日本\n')).rejects.toThrow('was not written');
    expect(await lines()).toEqual(['ä']);
    expect(fs.readFileSync(at('a.txt'))).toEqual(Buffer.from('\xe4\n', 'latin1'));
  });
});

describe('fs/write_text_file to an open file', () => {
  it('is one undo step of its own while the user types', async ({ start }) => {
    const { nvim, read, write, lines } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt');
    await read('a.txt');
    await nvim.input('Gotyped');
    await nvim.waitFor(async () => (await lines()).includes('typed'), 'the text');
    await write('a.txt', text.replace('one', 'ONE'));
    expect(await lines()).toEqual(['ONE', 'two', 'three', 'four', 'five', 'typed']);
    expect(await nvim.lua('return vim.api.nvim_get_mode().mode')).toBe('i');
    await nvim.input(' on<Esc>');
    await nvim.waitFor(async () => (await lines()).includes('typed on'), 'the rest');
    await nvim.command('undo');
    expect(await lines()).toEqual(['ONE', 'two', 'three', 'four', 'five', 'typed']);
    await nvim.command('undo');
    expect(await lines()).toEqual(['one', 'two', 'three', 'four', 'five', 'typed']);
  });

  it('keeps folds', async ({ start }) => {
    const { nvim, write } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt | setlocal foldmethod=manual | 3,4fold');
    await write('a.txt', `zero\n${text.replace('five', 'FIVE')}`);
    const folds =
      'return { vim.fn.foldclosed(3), vim.fn.foldclosed(4), vim.fn.foldclosedend(4), vim.fn.foldclosed(6) }';
    expect(await nvim.lua(folds)).toEqual([-1, 4, 5, -1]);
  });

  it.for<[string, RegExp, (at: (name: string) => string) => void]>([
    [
      'a link to another folder in the place of its own',
      /leads through a symlink/,
      (at) => {
        fs.renameSync(at('d'), at('e'));
        fs.symlinkSync(at('outside'), at('d'));
      },
    ],
    [
      'a pipe in the place of the file',
      /is not a regular file/,
      (at) => {
        fs.rmSync(at('d/a.txt'));
        execFileSync('mkfifo', [at('d/a.txt')]);
      },
    ],
  ])('is not written through %s', async ([, reason, replace], { start }) => {
    const { nvim, at, onDisk, lines } = await openFiles(start, {
      'd/a.txt': text,
      'outside/a.txt': 'theirs\n',
    });
    await nvim.command('edit d/a.txt');
    const editor = new NvimEditor(nvim.client, new LogDouble());
    const buffer = (await readBuffer(editor, { path: at('d/a.txt') }))!;
    replace(at);
    const written = await changeBuffer(editor, buffer, { ...buffer, lines: ['new'] });
    expect(written).toMatchObject({ status: 'failed', reason: expect.stringMatching(reason) });
    expect(await lines()).toEqual(text.trim().split('\n'));
    expect(onDisk('outside/a.txt')).toBe('theirs\n');
  });

  it('replaces lone surrogates, with a buffer too', async ({ start }) => {
    const { nvim, write, onDisk, lines } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt');
    await write('a.txt', 'x\ud800y\n');
    expect(await lines()).toEqual(['x\ufffdy']);
    expect(onDisk('a.txt')).toBe('x\ufffdy\n');
  });

  it.for<[string, string]>([
    ['beside their files', '.'],
    ['in a folder, named by full path', 'swaps//'],
    ['in a folder', 'swaps'],
  ])(
    'is refused while another Neovim has unsaved changes of the file: swap files %s',
    async ([, folder], { start }) => {
      const { nvim, write, onDisk, at } = await openFiles(start, { 'a.txt': text, 'swaps/none': '' });
      const directory = folder === '.' ? folder : at(folder);
      await nvim.lua('vim.o.directory = ...', directory);
      const other = await start({ init: `vim.o.directory = '${directory}'` });
      await other.command(`edit ${at('a.txt')}`);
      await write('a.txt', text.replace('one', 'ONE'));
      await other.command('set noautoread | call setline(2, "theirs")');
      const name = new RegExp(
        `a\\.txt is open with unsaved changes in another Neovim \\(process ${other.pid}\\)`,
      );
      await expect(write('a.txt', 'x\n')).rejects.toThrow(name);
      expect(onDisk('a.txt')).toBe(text.replace('one', 'ONE'));
      await nvim.command('set noswapfile | edit a.txt');
      await expect(write('a.txt', 'x\n')).rejects.toThrow(name);
      await other.command('bwipeout!');
      await write('a.txt', 'x\n');
      expect(onDisk('a.txt')).toBe('x\n');
    },
  );

  const canMount = isMet(
    process.platform === 'linux' && process.getuid?.() === 0,
    'only root on Linux can mount a file system',
  );

  // Only root may make a disk that is soon full.
  it.skipIf(!canMount)('that fills the disk changes nothing', async ({ start }) => {
    const { nvim, write, at, lines } = await openFiles(start);
    const small = at('small');
    fs.mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', small]);
    try {
      for (const name of ['small/a.txt', 'small/b.txt']) fs.writeFileSync(at(name), text);
      const big = 'x'.repeat(200 * 1024);
      await expect(write('small/a.txt', big)).rejects.toThrow(/a\.txt was not written: the disk is full/);
      expect(fs.readFileSync(at('small/a.txt'), 'utf8')).toBe(text);
      expect(fs.readdirSync(small).toSorted()).toEqual(['a.txt', 'b.txt']);
      await nvim.command(`edit ${path.join(small, 'b.txt')}`);
      await expect(write('small/b.txt', big)).rejects.toThrow('was not written');
      expect(await lines()).toEqual(['one', 'two', 'three', 'four', 'five']);
      expect(fs.readFileSync(at('small/b.txt'), 'utf8')).toBe(text);
      await nvim.command('bwipeout!');
    } finally {
      execFileSync('umount', ['-l', small]);
    }
  });
});

describe('a text that the user puts into a file', () => {
  it('is kept when the agent, which does not know of it, writes other lines', async ({ start }) => {
    const { nvim, read, write, lines, service, at } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt');
    await read('a.txt');
    await service.put({ path: at('a.txt'), content: text.replace('one', 'put'), basis: text });
    await nvim.waitFor(async () => (await lines())[0] === 'put', 'the change');
    await write('a.txt', text.replace('three', 'agent'));
    expect(await lines()).toEqual(text.replace('one', 'put').replace('three', 'agent').trimEnd().split('\n'));
  });

  it('is written when it is said to be, or the reason is given', async ({ start }) => {
    const { nvim, service, at, onDisk, lines } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt');
    const put = (content: string) => service.put({ path: at('a.txt'), content, basis: text });
    await put(text.replace('one', 'put'));
    expect(onDisk('a.txt')).toBe(text.replace('one', 'put'));
    await nvim.command('setlocal nomodifiable');
    await expect(put(text.replace('two', 'put'))).rejects.toThrow("'nomodifiable'");
    expect(onDisk('a.txt')).toBe(text.replace('one', 'put'));
    expect((await lines())[1]).toBe('two');
  });

  it('needs consent where a write of the agent needs it', async ({ start }) => {
    const { wishes, service, at } = await openFiles(start);
    const put = service.put({ path: at('../outside.txt'), content: 'x', basis: undefined });
    await expect(put).rejects.toMatchObject({ code: 'denied' });
    expect(wishes).toHaveLength(1);
  });
});
