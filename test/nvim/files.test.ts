import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../support/nvim/it.ts';
import { openFiles } from '../support/nvim/open-files.ts';

const text = 'one\ntwo\nthree\nfour\nfive\n';

describe('fs/read_text_file', () => {
  it('gives unsaved text of the buffer', async ({ start }) => {
    const { nvim, read } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt | 2delete | call setline(1, "ONE")');
    expect(await read('a.txt')).toBe('ONE\nthree\nfour\nfive\n');
    expect(await read('a.txt', 2, 1)).toBe('three\n');
    expect(await read('a.txt', 99)).toBe('');
  });

  it('gives what another program has written since, and the buffer shows it too', async ({ start }) => {
    const { nvim, read, at, lines } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt');
    await read('a.txt');
    fs.writeFileSync(at('a.txt'), text.replace('two', 'TWO, longer'));
    expect(await read('a.txt')).toBe(text.replace('two', 'TWO, longer'));
    await nvim.command('call setline(5, "mine")');
    fs.writeFileSync(at('a.txt'), text.replace('one', 'ONE, longer'));
    expect(await read('a.txt')).toBe('ONE, longer\ntwo\nthree\nfour\nmine\n');
    expect(await lines()).toEqual(['ONE, longer', 'two', 'three', 'four', 'mine']);
    expect(await nvim.lua('return vim.bo.modified')).toBe(true);
  });

  it('gives the file on disk if there is no buffer, and opens none', async ({ start }) => {
    const { nvim, read } = await openFiles(start, { 'a.txt': text });
    const before = await nvim.lua('return #vim.api.nvim_list_bufs()');
    expect(await read('a.txt', 4)).toBe('four\nfive\n');
    expect(await nvim.lua('return #vim.api.nvim_list_bufs()')).toBe(before);
  });

  it.for<[string, string]>([
    ['dos', 'a\r\nb\r\n'],
    ['no last newline', 'a\nb'],
    ['a byte order mark', '\ufeffa\n'],
    ['nothing', ''],
    ['one empty line', '\n'],
    ['mixed line endings', 'a\r\nb\n'],
  ])('gives the text of a buffer as it is on disk: %s', async ([, content], { start }) => {
    const { nvim, read, at, onDisk } = await openFiles(start);
    fs.writeFileSync(at('a.txt'), content);
    await nvim.command('edit a.txt');
    expect(await read('a.txt')).toBe(content);
    await nvim.command('write');
    expect(await read('a.txt')).toBe(onDisk('a.txt'));
  });

  it('finds the buffer of a symlink, of a path with .. and of an unusual name', async ({ start }) => {
    const name = "a 'b' %#[1]$HOME ~ ä.txt";
    const { nvim, read, at } = await openFiles(start, { [name]: text });
    fs.symlinkSync(at(name), at('link'));
    await nvim.lua(`vim.cmd.edit(vim.fn.fnameescape(${JSON.stringify(at(name))})) vim.fn.setline(1, 'ONE')`);
    for (const way of [name, 'link', `x/../${name}`]) expect(await read(way)).toMatch(/^ONE\n/);
  });

  it.for<[string, (at: (name: string) => string) => void, string, object]>([
    ['a missing file', () => undefined, 'none.txt', { code: 'not_found' }],
    ['a folder', (at) => fs.mkdirSync(at('folder')), 'folder', { code: 'bad_params' }],
    ['a name that is too long', () => undefined, 'x'.repeat(300), { code: 'bad_params' }],
    ['a NUL in the name', () => undefined, 'a\0b', { code: 'bad_params' }],
    ['a file as a folder', (at) => fs.writeFileSync(at('f'), ''), 'f/x', { code: 'not_found' }],
  ])('refuses %s with an error that names it', async ([, prepare, name, error], { start }) => {
    const { read, at } = await openFiles(start);
    prepare(at);
    const refusal = read(name);
    await expect(refusal).rejects.toMatchObject(error);
    if (!name.includes('\0')) await expect(refusal).rejects.toThrow(name);
  });
});

describe('a file outside of the folders of the session', () => {
  it('needs consent, which the user can give for its folder', async ({ start }) => {
    const { service, wishes, answers, at } = await openFiles(start);
    const outside = path.join(at('..'), `outside-${process.pid}.txt`);
    fs.writeFileSync(outside, 'secret');
    try {
      const read = () => service.read({ path: outside, line: 1, limit: undefined, isMissingEmpty: false });
      await expect(read()).rejects.toMatchObject({
        code: 'denied',
        message: expect.stringContaining(outside),
      });
      answers.push('always');
      expect(await read()).toBe('secret');
      expect(await read()).toBe('secret');
      expect(wishes).toMatchObject([{ kind: 'read', subject: outside }, { kind: 'read' }]);
      await expect(service.write({ path: outside, content: 'x' })).rejects.toMatchObject({
        code: 'denied',
      });
      expect(fs.readFileSync(outside, 'utf8')).toBe('secret');
    } finally {
      fs.rmSync(outside);
    }
  });

  it('needs no consent if it is missing', async ({ start }) => {
    const { service, wishes, at } = await openFiles(start);
    const read = service.read({
      path: at('../none-at-all'),
      line: 1,
      limit: undefined,
      isMissingEmpty: false,
    });
    await expect(read).rejects.toMatchObject({ code: 'not_found' });
    expect(wishes).toEqual([]);
  });
});

describe('fs/write_text_file', () => {
  it('creates the file and its folders, and keeps mode and symlinks', async ({ start }) => {
    const { write, onDisk, at } = await openFiles(start, { 'run.sh': 'old' });
    await write('a/b/new.txt', text);
    expect(onDisk('a/b/new.txt')).toBe(text);
    fs.chmodSync(at('run.sh'), 0o755);
    fs.symlinkSync('run.sh', at('link'));
    await write('link', 'new');
    expect(onDisk('run.sh')).toBe('new');
    expect(fs.lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(fs.statSync(at('run.sh')).mode & 0o777).toBe(0o755);
    expect(fs.readdirSync(at('.')).filter((name) => name.includes('.acp-'))).toEqual([]);
  });

  it('changes only the lines that differ in a loaded buffer, as one undo step, and saves it', async ({
    start,
  }) => {
    const { nvim, write, onDisk, lines } = await openFiles(start, { 'a.txt': text });
    await nvim.lua(`
      vim.cmd.edit('a.txt')
      vim.api.nvim_win_set_cursor(0, { 5, 2 })
      vim.cmd('4mark x')
      _G.ns = vim.api.nvim_create_namespace('test')
      _G.mark = vim.api.nvim_buf_set_extmark(0, _G.ns, 2, 1, {})`);
    await write('a.txt', 'zero\none\nTWO\nthree\nfour\nfive\nsix\n');
    expect(await lines()).toEqual(['zero', 'one', 'TWO', 'three', 'four', 'five', 'six']);
    expect(onDisk('a.txt')).toBe('zero\none\nTWO\nthree\nfour\nfive\nsix\n');
    expect(
      await nvim.lua(
        'return { vim.api.nvim_win_get_cursor(0), vim.fn.line("\'x"), vim.bo.modified, vim.api.nvim_buf_get_extmark_by_id(0, _G.ns, _G.mark, {}) }',
      ),
    ).toEqual([[6, 2], 5, false, [3, 1]]);
    await nvim.command('undo');
    expect(await lines()).toEqual(['one', 'two', 'three', 'four', 'five']);
  });

  it('does not scroll other windows', async ({ start }) => {
    const long = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);
    const { nvim, write } = await openFiles(start, { 'a.txt': `${long.join('\n')}\n` });
    await nvim.command('edit a.txt | split | normal! 150Gzt');
    const top = () => nvim.lua("return vim.fn.getline(vim.fn.line('w0'))");
    expect(await top()).toBe('line 150');
    await write('a.txt', `${['new', 'lines', ...long].join('\n')}\n`);
    expect(await top()).toBe('line 150');
    await nvim.command('wincmd j | normal! gg');
    expect(await top()).toBe('new');
  });

  it('keeps unsaved text unsaved in the buffer, and saves only the change of the agent', async ({
    start,
  }) => {
    const { nvim, read, write, lines, onDisk } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt');
    await read('a.txt');
    await nvim.command('call setline(5, "FIVE, typed since")');
    await write('a.txt', 'ONE\ntwo\nthree\nfour\nfive\n');
    expect(await lines()).toEqual(['ONE', 'two', 'three', 'four', 'FIVE, typed since']);
    expect(onDisk('a.txt')).toBe('ONE\ntwo\nthree\nfour\nfive\n');
    expect(await nvim.lua('return vim.bo.modified')).toBe(true);
    await nvim.command('undo');
    expect(await lines()).toEqual(['one', 'two', 'three', 'four', 'FIVE, typed since']);
    await nvim.command('redo | write');
    expect(onDisk('a.txt')).toBe('ONE\ntwo\nthree\nfour\nFIVE, typed since\n');
    expect(await nvim.messages()).not.toMatch(/W1[12]|changed since/);
  });

  it.for<[string, string, string[]]>([
    ['a line', 'call setline(5, "typed")', ['ONE', 'two', 'three', 'four', 'typed']],
    ['new lines', 'call append(3, ["x", "y"])', ['ONE', 'two', 'three', 'x', 'y', 'four', 'five']],
    ['fewer lines', '4,5delete', ['ONE', 'two', 'three']],
  ])(
    'keeps unsaved text unsaved that the agent has read and repeats: %s',
    async ([, typed, expected], { start }) => {
      const { nvim, read, write, lines, onDisk } = await openFiles(start, { 'a.txt': text });
      await nvim.command(`edit a.txt | ${typed}`);
      await write('a.txt', (await read('a.txt')).replace('one', 'ONE'));
      expect(await lines()).toEqual(expected);
      expect(onDisk('a.txt')).toBe(text.replace('one', 'ONE'));
      expect(await nvim.lua('return vim.bo.modified')).toBe(true);
    },
  );

  it('keeps unsaved text that the agent never read', async ({ start }) => {
    const { nvim, write, lines } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt | call setline(5, "typed")');
    await write('a.txt', 'ONE\ntwo\nthree\nfour\nfive\n');
    expect(await lines()).toEqual(['ONE', 'two', 'three', 'four', 'typed']);
  });

  it('refuses a write that would revert unsaved text, and changes nothing', async ({ start }) => {
    const { nvim, read, write, lines, onDisk } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt');
    await read('a.txt');
    await nvim.command('call setline(1, "mine")');
    await expect(write('a.txt', text.replace('one', 'theirs'))).rejects.toThrow(
      /the user has changed the same lines of .*a\.txt since it was read; read it again/,
    );
    expect(await lines()).toEqual(['mine', 'two', 'three', 'four', 'five']);
    expect(onDisk('a.txt')).toBe(text);
    // It knows of it now, but that would not be saved without it.
    expect(await read('a.txt')).toMatch(/^mine\n/);
    await expect(write('a.txt', text.replace('one', 'mine and theirs'))).rejects.toThrow(
      /the user has unsaved text in the same lines of .*a\.txt, which has to be saved first/,
    );
    await nvim.command('write');
    await write('a.txt', text.replace('one', 'mine and theirs'));
    expect((await lines())[0]).toBe('mine and theirs');
  });

  it('refuses a write that would replace a text that was never saved', async ({ start }) => {
    const { nvim, write, lines } = await openFiles(start);
    await nvim.command('edit new.txt | call setline(1, "mine")');
    await expect(write('new.txt', 'theirs\n')).rejects.toThrow('the same lines');
    expect(await lines()).toEqual(['mine']);
  });

  it('merges with a file that is newer than its buffer', async ({ start }) => {
    const { nvim, write, lines, at } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt');
    fs.writeFileSync(at('a.txt'), text.replace('two', 'TWO'));
    await write('a.txt', text.replace('two', 'TWO').replace('five', 'FIVE'));
    expect(await lines()).toEqual(['one', 'TWO', 'three', 'four', 'FIVE']);
  });

  it.for<[string, string, string]>([
    ['nomodifiable', 'setlocal nomodifiable', "'nomodifiable'"],
    ['read-only', 'setlocal readonly', "'readonly'"],
    ['a write that fails', 'autocmd BufWriteCmd <buffer> throw "no"', 'was not written'],
  ])('that fails changes nothing: %s', async ([, command, reason], { start }) => {
    const { nvim, write, lines, onDisk } = await openFiles(start, { 'a.txt': text });
    await nvim.command(`edit a.txt | ${command}`);
    await expect(write('a.txt', 'new\n')).rejects.toThrow(reason);
    expect(await lines()).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(onDisk('a.txt')).toBe(text);
  });

  it('runs BufWritePost, and BufWritePre only with format_on_write', async ({ start }) => {
    const init = `
      _G.fired = {}
      vim.api.nvim_create_autocmd({ 'BufWritePre', 'BufWritePost' }, {
        callback = function(event) table.insert(_G.fired, event.event) end,
      })`;
    const { nvim, write } = await openFiles(start, { 'a.txt': text }, init);
    await nvim.command('edit a.txt');
    await write('a.txt', 'x\n');
    expect(await nvim.lua('return _G.fired')).toEqual(['BufWritePost']);
    await nvim.lua("require('acp').setup({ format_on_write = true })");
    await write('a.txt', 'y\n');
    expect(await nvim.lua('return _G.fired')).toEqual(['BufWritePost', 'BufWritePre', 'BufWritePost']);
    expect(await nvim.lua('return vim.o.eventignore')).toBe('');
  });

  it('runs no autocommand that could save or format unsaved text', async ({ start }) => {
    const init = `
      vim.g.acp = { format_on_write = true }
      _G.fired = {}
      vim.api.nvim_create_autocmd({ 'BufWritePre', 'BufWritePost' }, {
        callback = function(event) table.insert(_G.fired, event.event) end,
      })`;
    const { nvim, write, onDisk } = await openFiles(start, { 'a.txt': text }, init);
    await nvim.command('edit a.txt | call setline(5, "typed")');
    await write('a.txt', text.replace('one', 'ONE'));
    expect(await nvim.lua('return { _G.fired, vim.o.eventignore }')).toEqual([[], '']);
    await nvim.command('write');
    await write('a.txt', onDisk('a.txt').replace('ONE', 'one'));
    expect(await nvim.lua('return _G.fired')).toEqual([
      'BufWritePre',
      'BufWritePost',
      'BufWritePre',
      'BufWritePost',
    ]);
  });

  it('serialises writes to one file', async ({ start }) => {
    const { nvim, write, lines, onDisk } = await openFiles(start, { 'a.txt': '0\n' });
    await nvim.command('edit a.txt');
    await Promise.all(['1\n', '2\n', '3\n'].map((content) => write('a.txt', content)));
    expect(await lines()).toEqual(['3']);
    expect(onDisk('a.txt')).toBe('3\n');
  });

  it.for<[string, string, string, string]>([
    ['keeps DOS line endings if the agent writes newlines', 'a\r\nb\r\n', 'a\nB\n', 'a\r\nB\r\n'],
    ['removes the byte order mark if the agent leaves it out', '\ufeffa\n', 'b\n', 'b\n'],
    ['empties a file', 'a\n', '', ''],
    ['fills an empty file', '', 'a\n', 'a\n'],
    ['writes a NUL', 'a\n', 'x\0y\n', 'x\0y\n'],
  ])('%s', async ([, before, content, after], { start }) => {
    const { nvim, write, onDisk, at } = await openFiles(start);
    fs.writeFileSync(at('a.txt'), before);
    await nvim.command('edit a.txt');
    await write('a.txt', content);
    expect(onDisk('a.txt')).toBe(after);
  });
});
