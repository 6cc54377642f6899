import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { openFiles } from '../support/nvim/open-files.ts';
import { fc } from '../support/property.ts';
import { isMet } from '../support/system/requirements.ts';

const long = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);
const text = `${long.join('\n')}\n`;
/** Two lines more at the top, three less in the middle, and some others. */
const later = ['new', 'lines', ...long.with(60, 'changed').with(170, 'other').toSpliced(100, 3)];
const laterText = `${later.join('\n')}\n`;

const modeOf = (nvim: TestNvim) => nvim.lua<string>('return vim.fn.mode(1)');
const isMode = (nvim: TestNvim, mode: string) =>
  nvim.waitFor(async () => (await modeOf(nvim)) === mode, `mode ${mode}`);

describe('a write to an open file', () => {
  it('scrolls no window, on no tab page, also in diff mode', async ({ start }) => {
    const { nvim, write } = await openFiles(start, { 'a.txt': text, 'b.txt': `${text}more\n`, 'c.txt': '' });
    // What is the same on both sides would be folded, and is not the same afterwards.
    await nvim.command('set diffopt=internal,filler,context:999 | edit a.txt | normal! 150Gzt3|');
    await nvim.command('split | normal! 50Gzt');
    await nvim.command('tabnew a.txt | normal! 80Gzt');
    await nvim.command('tabnew a.txt | diffthis | vsplit b.txt | diffthis | wincmd l | normal! 120Gzt');
    await nvim.command('tabnew c.txt');
    const views = () =>
      nvim.lua(`return vim.tbl_map(function(win)
        return vim.api.nvim_win_call(win, function()
          return { vim.fn.bufname(), vim.fn.getline('w0'), vim.fn.getline('.'), vim.fn.col('.') }
        end)
      end, vim.api.nvim_list_wins())`);
    const before = await views();
    await write('a.txt', laterText);
    expect(await views()).toEqual(before);
    expect(await nvim.lua('return #vim.api.nvim_list_wins()')).toBe(6);
  });

  it('keeps marks and jumps on their lines, and the undo file valid', async ({ start }) => {
    const { nvim, write, lines } = await openFiles(start, { 'a.txt': text });
    await nvim.lua("vim.o.undodir = vim.uv.cwd() vim.o.undofile = true vim.cmd.edit('a.txt')");
    await nvim.input('50G150G20Gma90GmB30G');
    await nvim.waitFor(async () => (await nvim.lua("return vim.fn.line('.')")) === 30, 'the keys');
    const places = () =>
      nvim.lua(`local jumps = vim.fn.getjumplist()[1]
        local lines = vim.tbl_map(function(jump) return vim.fn.getline(jump.lnum) end, jumps)
        return { vim.list_slice(lines, 2), vim.fn.getline("'a"), vim.fn.getline("'B"), vim.fn.getline('.') }`);
    const before = await places();
    expect(before).toEqual([['line 50', 'line 150', 'line 20', 'line 90'], 'line 20', 'line 90', 'line 30']);
    await write('a.txt', laterText);
    expect(await places()).toEqual(before);
    await nvim.command('bwipeout | edit a.txt | undo');
    expect(await lines()).toEqual(long);
  });

  it('through two names of a file is serialised', async ({ start }) => {
    const { nvim, write, lines, onDisk, at } = await openFiles(start, { 'a.txt': '0\n' });
    fs.symlinkSync('a.txt', at('link.txt'));
    const all = () =>
      Promise.all(['1', '2', '3', '4'].map((n) => write(Number(n) % 2 ? 'a.txt' : 'link.txt', `${n}\n`)));
    await all();
    expect(['3\n', '4\n']).toContain(onDisk('a.txt'));
    await nvim.command('edit a.txt');
    await all();
    expect(onDisk('a.txt')).toBe(`${(await lines()).join('\n')}\n`);
    expect(await nvim.lua('return vim.fn.undotree().seq_last')).toBeGreaterThan(2);
  });

  it('goes through a plugin that reads and writes the file itself (acwrite)', async ({ start }) => {
    const opened = await openFiles(start, { 'a.txt': 'terces\n' });
    const { nvim, service, read, write, lines, onDisk, at } = opened;
    await nvim.lua(`
      vim.cmd('edit a.txt | setlocal buftype=acwrite | call setline(1, "secret") | setlocal nomodified')
      vim.api.nvim_create_autocmd('BufWriteCmd', { buffer = 0, callback = function(event)
        local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
        vim.fn.writefile(vim.tbl_map(string.reverse, lines), event.match)
        vim.bo.modified = false
      end })`);
    expect(await read('a.txt')).toBe('secret\n');
    await write('a.txt', 'secret\nabc\n');
    expect(onDisk('a.txt')).toBe('terces\ncba\n');
    expect(await lines()).toEqual(['secret', 'abc']);
    await nvim.command('call setline(1, "typed")');
    await write('a.txt', 'secret\nabc\nmore\n');
    expect(await lines()).toEqual(['typed', 'abc', 'more']);
    fs.writeFileSync(at('a.txt'), 'from elsewhere\n');
    await service.changedOnDisk(at('a.txt'));
    expect(await lines()).toEqual(['typed', 'abc', 'more']);
  });
});

describe('any text that an agent writes', () => {
  const units = fc.constantFrom(
    'a',
    'ä',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '\0',
    '\ufeff',
    '\ud800',
    '😀',
    '\t',
    '\u2028',
  );
  const content = fc.oneof(
    fc.string({ unit: units, maxLength: 12 }),
    fc.array(fc.constantFrom('a\r\n', '\r\n', 'b'), { maxLength: 5 }).map((parts) => parts.join('')),
  );
  const before = fc.constantFrom('', '\n', 'x\n', 'x\ny', '\ufeffx\n', 'a\r\nb\n');

  it('is written exactly, with a buffer and without, and can be undone', {
    timeout: shortOrLong(60_000, 600_000),
  }, async ({ start }) => {
    const { nvim, read, write, lines, onDisk, at } = await openFiles(start);
    await nvim.command('set noswapfile');
    await fc.assert(
      fc.asyncProperty(before, content, async (old, now) => {
        await nvim.command('silent %bwipeout!');
        for (const name of ['a.txt', 'b.txt']) fs.writeFileSync(at(name), old);
        await nvim.command('silent edit a.txt');
        const then = await lines();
        for (const name of ['a.txt', 'b.txt']) {
          await read(name);
          await write(name, now);
          expect(onDisk(name)).toBe(now.toWellFormed());
          expect(await read(name)).toBe(now.toWellFormed());
        }
        if (String(await lines()) !== String(then)) await nvim.command('silent undo');
        expect(await lines()).toEqual(then);
      }),
      { numRuns: shortOrLong(100, 2_000) },
    );
  });
});

describe('a write that fails', () => {
  const state = (nvim: TestNvim) =>
    nvim.lua(`local undo, view = vim.fn.undotree(), vim.fn.winsaveview()
      return { view.lnum, view.col, view.topline, undo.seq_cur, undo.seq_last, vim.bo.modified, vim.bo.fileformat,
        vim.bo.endofline, vim.api.nvim_buf_get_lines(0, 0, -1, false) }`);

  it.for(['setlocal modified', 'write'])(
    'changes neither text nor undo history: after :%s',
    async (before, { start }) => {
      const { nvim, write, read, onDisk } = await openFiles(start, { 'a.txt': text });
      await nvim.command(`edit a.txt | call setline(3, "x") | ${before} | normal! 150Gzt`);
      await nvim.command('autocmd BufWriteCmd <buffer> throw "no"');
      await read('a.txt');
      const [then, disk] = [await state(nvim), onDisk('a.txt')];
      const content = `${later.with(4, 'x').join('\r\n')}\r\n`;
      await expect(write('a.txt', content)).rejects.toThrow(/a\.txt was not written: /);
      expect(await state(nvim)).toEqual(then);
      expect(onDisk('a.txt')).toBe(disk);
    },
  );

  it('keeps text that is being typed', async ({ start }) => {
    const { nvim, read, write, lines, onDisk } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt | autocmd BufWriteCmd <buffer> throw "no"');
    await read('a.txt');
    await nvim.input('20Gotyped');
    await nvim.waitFor(async () => (await lines())[20] === 'typed', 'the text');
    await expect(write('a.txt', laterText)).rejects.toThrow('was not written');
    await nvim.input(' on<Esc>');
    await isMode(nvim, 'n');
    expect(await lines()).toEqual(long.toSpliced(20, 0, 'typed on'));
    expect(onDisk('a.txt')).toBe(text);
    await nvim.command('undo 0');
    expect(await lines()).toEqual(long);
  });

  it('gives the reason in one line', async ({ start }) => {
    const { nvim, write, at } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt');
    fs.rmSync(at('a.txt'));
    fs.mkdirSync(at('a.txt'));
    await expect(write('a.txt', 'x')).rejects.toThrow(/^\S*a\.txt is a folder$/);
    fs.rmdirSync(at('a.txt'));
    await nvim.command('autocmd BufWriteCmd <buffer> echoerr "E999: not today"');
    await expect(write('a.txt', 'x')).rejects.toThrow(/^\S*a\.txt was not written: E999: not today$/);
  });

  it('is a success if only BufWritePost fails', async ({ start }) => {
    const { nvim, write, lines, onDisk } = await openFiles(start, { 'a.txt': text });
    await nvim.command('edit a.txt | autocmd BufWritePost <buffer> throw "no linter"');
    await write('a.txt', 'x\n');
    expect([await lines(), onDisk('a.txt')]).toEqual([['x'], 'x\n']);
    expect(await nvim.messages()).toContain('a.txt was saved, but an autocommand failed: no linter');
  });

  const canForbid = isMet(
    process.platform === 'linux' && process.getuid?.() === 0,
    'only root on Linux can make a file immutable',
  );

  it.skipIf(!canForbid)('after a formatter ran changes nothing either', async ({ start }) => {
    const init = `vim.g.acp = { format_on_write = true }
      vim.cmd('autocmd BufWritePre * call setline(1, "formatted") | call append(0, "twice")')`;
    const { nvim, write, at } = await openFiles(start, { 'a.txt': text }, init);
    await nvim.command('edit a.txt | call setline(3, "x")');
    await nvim.command('call setline(5, "y")');
    await nvim.command('undo | normal! 150Gzt');
    const before = await state(nvim);
    execFileSync('chattr', ['+i', at('a.txt')]);
    try {
      await expect(write('a.txt', `${long.with(100, 'agent').join('\n')}\n`)).rejects.toThrow('E212');
    } finally {
      execFileSync('chattr', ['-i', at('a.txt')]);
    }
    const after = (await state(nvim)) as unknown[];
    expect(after.toSpliced(3, 1)).toEqual((before as unknown[]).toSpliced(3, 1));
    await nvim.command('undo');
    expect(await nvim.lines()).toEqual(long);
  });

  // Root may do everything but this.
  it.skipIf(!canForbid)('for lack of permission changes nothing', async ({ start }) => {
    const { nvim, read, write, onDisk, lines, at } = await openFiles(start, { 'a.txt': text, 'b.txt': text });
    await nvim.command('edit a.txt');
    const forbidden = [at('a.txt'), at('b.txt')];
    execFileSync('chattr', ['+i', ...forbidden]);
    try {
      for (const name of ['a.txt', 'b.txt']) {
        await expect(write(name, 'x\n')).rejects.toThrow(/permission denied|not permitted/);
        expect(onDisk(name)).toBe(text);
        expect(await read(name)).toBe(text);
      }
      expect(await lines()).toEqual(long);
      expect(await nvim.lua('return vim.bo.modified')).toBe(false);
    } finally {
      execFileSync('chattr', ['-i', ...forbidden]);
    }
  });
});

describe('a write while the user', () => {
  /** They are somewhere in a file that the agent has read. */
  async function inTheMidst(nvimStart: Parameters<typeof openFiles>[0]) {
    const files = await openFiles(nvimStart, { 'a.txt': text });
    await files.nvim.command('edit a.txt');
    await files.read('a.txt');
    return files;
  }

  it('selects lines keeps the selection', async ({ start }) => {
    const { nvim, write, lines } = await inTheMidst(start);
    await nvim.input('20GVjj');
    await isMode(nvim, 'V');
    await write('a.txt', laterText);
    expect(await nvim.lua("return { vim.fn.mode(), vim.fn.line('v'), vim.fn.line('.') }")).toEqual([
      'V',
      22,
      24,
    ]);
    await nvim.input('d');
    await isMode(nvim, 'n');
    expect(await lines()).toEqual(later.toSpliced(21, 3));
  });

  it('selects letters upwards keeps the selection', async ({ start }) => {
    const { nvim, write, lines } = await inTheMidst(start);
    await nvim.input('20G03lvkk');
    await isMode(nvim, 'v');
    await write('a.txt', laterText);
    await nvim.input('d');
    await isMode(nvim, 'n');
    expect((await lines()).slice(18, 21)).toEqual(['line 17', 'lin 20', 'line 21']);
  });

  it('is in select mode keeps the selection', async ({ start }) => {
    const { nvim, write, lines } = await inTheMidst(start);
    await nvim.input('20GVj<C-g>');
    await isMode(nvim, 'S');
    await write('a.txt', laterText);
    expect(await modeOf(nvim)).toBe('S');
    await nvim.input('typed<Esc>');
    await isMode(nvim, 'n');
    expect(await lines()).toEqual(later.toSpliced(21, 3, 'typedline 22'));
  });

  it('has a pending operator waits for its motion', async ({ start }) => {
    const { nvim, write, lines, onDisk } = await inTheMidst(start);
    await nvim.input('20Gd');
    await isMode(nvim, 'no');
    const written = write('a.txt', laterText);
    const calls = () => nvim.lua<number>('_G.looks = (_G.looks or 0) + 1 return _G.looks');
    await nvim.waitFor(async () => (await calls()) > 10, 'some time to pass');
    expect(onDisk('a.txt')).toBe(text);
    await nvim.input('d');
    await written;
    expect(await lines()).toEqual(later.toSpliced(21, 1));
    expect(onDisk('a.txt')).toBe(laterText);
  });

  it('has a pending operator waits, also if another program wrote', async ({ start }) => {
    const { nvim, service, lines, at } = await inTheMidst(start);
    await nvim.input('20Gd');
    await isMode(nvim, 'no');
    fs.writeFileSync(at('a.txt'), laterText);
    const followed = service.changedOnDisk(at('a.txt'));
    const calls = () => nvim.lua<number>('_G.looks = (_G.looks or 0) + 1 return _G.looks');
    await nvim.waitFor(async () => (await calls()) > 10, 'some time to pass');
    expect(await lines()).toEqual(long);
    await nvim.input('d');
    await followed;
    expect(await lines()).toEqual(later.toSpliced(21, 1));
  });

  it('completes a word keeps the inserted text', async ({ start }) => {
    const { nvim, write, lines } = await inTheMidst(start);
    await nvim.command('set completeopt=menu,menuone');
    await nvim.input('Goli<C-n>');
    await nvim.waitFor(() => nvim.lua('return vim.fn.pumvisible() == 1'), 'the menu');
    const word = (await lines()).at(-1);
    await write('a.txt', laterText);
    expect(await lines()).toEqual([...later, word]);
    await nvim.input(' x<Esc>');
    await isMode(nvim, 'n');
    expect(await lines()).toEqual([...later, `${word} x`]);
    await nvim.command('undo');
    expect((await lines()).slice(0, -1)).toEqual(later);
  });

  it('types below keeps the cursor on its text', async ({ start }) => {
    const { nvim, write, lines } = await inTheMidst(start);
    await nvim.input('20Gofoo bar');
    await nvim.waitFor(async () => (await lines()).includes('foo bar'), 'the text');
    await write('a.txt', laterText);
    await nvim.input('<C-w>baz<Esc>');
    await nvim.waitFor(async () => (await lines()).includes('foo baz'), 'the rest');
    expect(await lines()).toEqual(later.toSpliced(22, 0, 'foo baz'));
    await nvim.command('undo 2');
    expect(await lines()).toEqual(later.toSpliced(22, 0, 'foo bar'));
  });

  it.for<[string, string, string]>([
    ['writes a command', ':s/x', 'c'],
    ['is in the command-line window', 'q:', 'n'],
    ['is in Replace mode', 'R', 'R'],
  ])('%s does not disturb that', async ([, keys, mode], { start }) => {
    const { nvim, write, onDisk } = await inTheMidst(start);
    const state = () =>
      nvim.lua<string[]>('return { vim.fn.mode(1), vim.fn.getcmdline(), vim.fn.getcmdwintype() }');
    const atRest = await state();
    await nvim.input(`20G${keys}`);
    await nvim.waitFor(async () => String(await state()) !== String(atRest), 'the keys');
    await isMode(nvim, mode);
    const before = await state();
    await write('a.txt', laterText);
    expect(await state()).toEqual(before);
    expect(onDisk('a.txt')).toBe(laterText);
  });

  it('records a macro is not recorded', async ({ start }) => {
    const { nvim, write, lines } = await inTheMidst(start);
    await nvim.input('20Gqqx');
    await nvim.waitFor(async () => (await lines())[19] === 'ine 20', 'the first step');
    await write('a.txt', laterText);
    await nvim.input('jxq');
    await nvim.waitFor(() => nvim.lua("return vim.fn.reg_recording() == ''"), 'the end');
    expect(await nvim.lua("return vim.fn.getreg('q')")).toBe('xjx');
    expect((await lines()).slice(21, 23)).toEqual(['ine 20', 'ine 21']);
  });

  it('evaluates a slow expression waits for it', async ({ start }) => {
    const { nvim, write, lines } = await inTheMidst(start);
    await nvim.lua(`vim.keymap.set('i', '<F2>', function()
      _G.is_locked = true
      vim.wait(10000, function() return _G.may_go end, 10)
      return 'x'
    end, { expr = true })`);
    await nvim.input('150GA<F2>');
    await nvim.waitFor(() => nvim.lua('return _G.is_locked'), 'the lock');
    const written = write('a.txt', laterText);
    expect(await lines()).toEqual(long);
    await nvim.lua('_G.may_go = true');
    await written;
    expect(await lines()).toEqual(later.with(148, 'line 150x'));
  });
});

describe('a formatter of the user', () => {
  // It writes out what is short, as one that runs before a save does.
  const init = `
    vim.g.acp = { format_on_write = true }
    vim.api.nvim_create_autocmd('BufWritePre', { callback = function(event)
      local lines = vim.api.nvim_buf_get_lines(event.buf, 0, -1, false)
      for row, line in ipairs(lines) do lines[row] = line:gsub('(%w)=(%w)', '%1 = %2') end
      vim.api.nvim_buf_set_lines(event.buf, 0, -1, false, lines)
    end })`;
  const code = (...values: number[]) => values.map((value, row) => `v${row}=${value}\n`).join('');
  const neat = (...values: number[]) => code(...values).replaceAll('=', ' = ');

  it('causes no conflict with the next write of the agent', async ({ start }) => {
    const { nvim, write, onDisk } = await openFiles(start, { 'a.lua': '' }, init);
    await nvim.command('edit a.lua');
    await write('a.lua', code(1, 2, 3));
    expect(onDisk('a.lua')).toBe(neat(1, 2, 3));
    await write('a.lua', code(1, 5, 3));
    expect(onDisk('a.lua')).toBe(neat(1, 5, 3));
    await write('a.lua', code(1, 5, 3, 4));
    expect(onDisk('a.lua')).toBe(neat(1, 5, 3, 4));
  });

  it('causes no conflict after the agent has read the file again, in whole or in part', async ({ start }) => {
    const { nvim, read, write, onDisk } = await openFiles(start, { 'a.lua': '' }, init);
    await nvim.command('edit a.lua');
    await write('a.lua', code(1, 2, 3));
    expect(await read('a.lua', 2, 1)).toBe('v1 = 2\n');
    await write('a.lua', code(1, 7, 3));
    expect(onDisk('a.lua')).toBe(neat(1, 7, 3));
    expect(await read('a.lua')).toBe(neat(1, 7, 3));
    await write('a.lua', neat(1, 8, 3));
    expect(onDisk('a.lua')).toBe(neat(1, 8, 3));
  });

  it('does not hide later changes of the user', async ({ start }) => {
    const { nvim, write, onDisk } = await openFiles(start, { 'a.lua': '' }, init);
    await nvim.command('edit a.lua');
    const lines = ['a=1', '-- one', '-- two', 'b=2'];
    await write('a.lua', `${lines.join('\n')}\n`);
    await nvim.command('call setline(1, "a = 100")');
    await write('a.lua', `${lines.with(3, 'b=3').join('\n')}\n`);
    expect(onDisk('a.lua')).toBe('a = 1\n-- one\n-- two\nb=3\n');
    await nvim.command('write');
    expect(onDisk('a.lua')).toBe('a = 100\n-- one\n-- two\nb = 3\n');
    await nvim.command('call setline(1, "a = 200")');
    await expect(write('a.lua', `${lines.with(0, 'a=2').join('\n')}\n`)).rejects.toThrow(
      'changed the same lines',
    );
  });

  it('that runs after the save causes no conflict either', async ({ start }) => {
    const after = init.replace('BufWritePre', 'BufWritePost').replace('format_on_write = true', '');
    const { nvim, write, onDisk } = await openFiles(start, { 'a.lua': '' }, after);
    await nvim.command('autocmd BufWritePost * ++nested noautocmd update');
    await nvim.command('edit a.lua');
    await write('a.lua', code(1, 2, 3));
    expect(onDisk('a.lua')).toBe(neat(1, 2, 3));
    await write('a.lua', code(1, 5, 3));
    expect(onDisk('a.lua')).toBe(neat(1, 5, 3));
  });

  it('that fails is skipped', async ({ start }) => {
    const failing =
      'vim.g.acp = { format_on_write = true } vim.cmd(\'autocmd BufWritePre * throw "no parser"\')';
    const { nvim, write, onDisk } = await openFiles(start, { 'a.lua': '' }, failing);
    await nvim.command('edit a.lua');
    await write('a.lua', 'x\n');
    expect(onDisk('a.lua')).toBe('x\n');
  });
});
