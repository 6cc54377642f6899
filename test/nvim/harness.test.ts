import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { it } from '../support/nvim/it.ts';
import { screenSnapshot } from '../support/nvim/snapshot.ts';
import { descendants, expectNoneLeft, isAlive, killAll, processesWith } from '../support/system/processes.ts';

describe('a Neovim under test', () => {
  it('shows what is typed', async ({ nvim }) => {
    await nvim.input('ihello 世界');
    await nvim.waitForScreen('hello 世界');
    expect(await nvim.lines()).toEqual(['hello 世界']);
    expect(nvim.screen.cursor).toMatchObject({ row: 0, col: 10, shape: 'vertical' });
  });

  it('shows the same screen on every release', async ({ start }) => {
    const nvim = await start({
      columns: 60,
      lines: 8,
      files: { 'src/a.lua': 'local a = 1\n' },
      args: ['src/a.lua'],
    });
    await nvim.command('set number | vnew');
    await nvim.input('inew<Esc>');
    await nvim.waitForScreen((text) => text.includes('new') && !text.includes('INSERT'));
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });

  it('reports the colours of a cell', async ({ nvim }) => {
    await nvim.command('highlight Loud guifg=#ff0000 guibg=#00ff00 gui=bold,undercurl');
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, {'loud'}) vim.fn.matchadd('Loud', 'loud')");
    await nvim.waitForScreen('loud');
    expect(nvim.screen.cell(0, 3)).toMatchObject({
      text: 'd',
      fg: '#ff0000',
      bg: '#00ff00',
      bold: true,
      undercurl: true,
    });
  });

  it('keeps up with scrolling and a new size', async ({ nvim }) => {
    await nvim.lua('vim.fn.setline(1, vim.fn.map(vim.fn.range(1, 100), \'"line " .. v:val\'))');
    await nvim.input('G');
    await nvim.waitForScreen('line 100');
    await nvim.input('5<C-y>');
    await nvim.waitForScreen((text) => text.startsWith('line 68\n') && text.includes('line 95\n'));
    await nvim.resize(40, 10);
    await nvim.input('gg');
    await nvim.waitForScreen(/^line 1\n(.*\n){6}line 8\n.*\n/);
  });

  it('runs Lua before the plugins and has its own directories', async ({ start }) => {
    const nvim = await start({
      init: 'vim.g.loaded_acp_seen = vim.g.loaded_acp or "not yet"',
      env: { COLOR: 'blue' },
    });
    expect(await nvim.lua('return vim.g.loaded_acp_seen')).toBe('not yet');
    expect(await nvim.lua('return vim.env.COLOR')).toBe('blue');
    expect(await nvim.lua("return vim.fn.stdpath('data')")).toContain(nvim.sandbox.root);
    expect(await nvim.lua('return vim.uv.cwd()')).toBe(nvim.sandbox.cwd);
    expect(await nvim.lua("return vim.fn.exists(':AcpChat')")).toBe(2);
  });

  it('prints the screen and the messages when a wait times out', async ({ nvim }) => {
    await nvim.input('isomething else');
    await nvim.waitForScreen('something else');
    await nvim.lua("vim.notify('a message')");
    const wait = nvim.waitForScreen('the answer', undefined, 50);
    await expect(wait).rejects.toThrow(
      /the screen to show "the answer"[\s\S]*something else[\s\S]*:messages\na message/,
    );
  });

  it('reports the error of a condition that throws', async ({ nvim }) => {
    const wait = nvim.waitFor(() => expect([1]).toHaveLength(2), 'two', 50);
    await expect(wait).rejects.toThrow(/to have a length of 2/);
  });

  it('reports a Neovim that waits for a key', async ({ nvim }) => {
    await nvim.input('r');
    await expect(nvim.waitForScreen('never', undefined, 50)).rejects.toThrow(/waits for a key/);
  });

  it('fails immediately when Neovim has exited', async ({ nvim }) => {
    const wait = nvim.waitForScreen('never');
    expect(await nvim.quit('cquit 3')).toEqual({ code: 3, signal: null });
    await expect(wait).rejects.toThrow('Neovim has ended');
    await expect(nvim.lua('return 1')).rejects.toThrow('Neovim has ended');
  });
});

describe('a host in the process of the test', () => {
  it('answers Neovim', async ({ nvim }) => {
    await nvim.attachHost();
    const status = await nvim.lua("return (require('acp.host').request('host.status', {}))");
    expect(status).toMatchObject({ pid: process.pid, chats: [] });
  });

  it('receives operations of Neovim', async ({ nvim }) => {
    await nvim.attachHost();
    await nvim.lua("require('acp.host').notify('no.such.thing', {})");
    await nvim.waitForScreen('no.such.thing');
  });
});

describe('the end of a Neovim under test', () => {
  it('leaves no process and no directory', async ({ nvim }) => {
    await nvim.command('terminal sleep 1000');
    const found = () => processesWith(nvim.sandbox.marker);
    await nvim.waitFor(() => found().some(({ command }) => /^\S*sleep 1000/.test(command)));
    expect(found().map(({ pid }) => pid)).toEqual([nvim.pid, ...descendants(nvim.pid)]);
    await nvim.dispose();
    expect(isAlive(nvim.pid)).toBe(false);
    expect(fs.existsSync(nvim.sandbox.root)).toBe(false);
  });

  it('names a process that survives it', async ({ nvim }) => {
    await nvim.lua("vim.fn.jobstart({ 'sleep', '1001' }, { detach = true })");
    const found = () => processesWith(nvim.sandbox.marker);
    await nvim.waitFor(() => found().some(({ command }) => /^\S*sleep 1001/.test(command)));
    expect((await nvim.quit()).code).toBe(0);
    await expect(expectNoneLeft(nvim.sandbox.marker, 50)).rejects.toThrow(/\d+ \S*sleep 1001/);
    killAll(nvim.sandbox.marker);
  });
});
