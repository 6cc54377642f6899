import { describe, expect } from 'vitest';
import { it } from '../support/nvim/it.ts';

const small = { columns: 80, lines: 24 };
const long = `there is ${'much '.repeat(30)}to say`;

describe('a notification that does not fit on the command line', () => {
  it('is cut without waiting for a key, and is complete in :messages', async ({ start }) => {
    const nvim = await start(small);
    await nvim.lua("require('acp.messages').info(...)", long);
    await nvim.waitForScreen(/^acp: there is much .*… · :messages/m);
    expect(await nvim.lua('return vim.api.nvim_get_mode()')).toEqual({ mode: 'n', blocking: false });
    expect((await nvim.messages()).trim().replaceAll('\n', ' ')).toBe(`acp: ${long}`);
  });

  it('keeps the command at its end', async ({ start }) => {
    const nvim = await start(small);
    await nvim.lua("require('acp.messages').info(...)", `${long} · :AcpAnswer`);
    await nvim.waitForScreen(/^acp: there is much .*… · :AcpAnswer/m);
    expect(await nvim.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
  });

  it('is shown on one line even if it has several', async ({ start }) => {
    const nvim = await start(small);
    await nvim.lua("require('acp.messages').error('first\\n  second')");
    await nvim.waitForScreen(/^acp: first second… · :messages/m);
    expect(await nvim.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
    expect((await nvim.messages()).trim()).toBe('acp: first\n  second');
  });

  it.for([
    ['the ruler', 'set ruler', /^acp: there is( much){7}… · :messages +0,0-1 +All$/m],
    ['a wide ruler', 'set ruler rulerformat=%30(here:%l%)', /^acp: there is much.*… · :messages here:0$/m],
    ['nothing, with one statusline', 'set ruler laststatus=3', /^acp: there is( much){8} m… · :messages$/m],
  ] as const)('leaves room in a float for %s', async ([, options, line], { start }) => {
    const nvim = await start(small);
    await nvim.command(options);
    const place = "{ relative = 'editor', row = 1, col = 1, width = 20, height = 3 }";
    await nvim.lua(`vim.api.nvim_open_win(0, true, ${place})`);
    await nvim.lua("require('acp.messages').info(...)", long);
    await nvim.waitForScreen(line);
  });

  it('is passed completely to a vim.notify() of the user', async ({ start }) => {
    const nvim = await start(small);
    await nvim.lua('vim.notify = function(text, level) _G.told = { text, level } end');
    await nvim.lua("require('acp.messages').warn(...)", long);
    expect(await nvim.lua('return _G.told')).toEqual([`acp: ${long}`, 3]);
  });
});

describe('notifications', () => {
  it.for(['AcpChat nobody', 'AcpSend', 'AcpSessions'])(
    'of :%s do not wait for a key at 80 columns',
    async (command, { start }) => {
      const nvim = await start(small);
      await nvim.input(`:${command}<CR>`);
      await nvim.waitForScreen(/^acp: (?!asking)/m);
      expect(await nvim.lua('return vim.api.nvim_get_mode().blocking')).toBe(false);
      expect(nvim.screen.text()).not.toContain('Press ENTER');
    },
  );

  it('do not wait for a key if one follows an error at once', async ({ start }) => {
    const nvim = await start(small);
    await nvim.lua("require('acp.messages').error('one') require('acp.messages').warn('last')");
    await nvim.waitForScreen(/^acp: last/m);
    expect(await nvim.client.request('nvim_get_mode', [])).toMatchObject({ blocking: false });
    expect((await nvim.messages()).trim()).toBe('acp: one\nacp: last');
  });

  it.for([
    ['an error', "require('acp.messages').error('last')"],
    ['one that is long', "require('acp.messages').error(('much '):rep(50) .. '\\nlast')"],
    ['two at once', "require('acp.messages').warn('one') require('acp.messages').error('last')"],
    ['one of a command', "vim.cmd('AcpChat last')"],
  ])('do not wait for a key without a command line: %s', async ([, lua], { start }) => {
    const nvim = await start(small);
    await nvim.command('set cmdheight=0');
    await nvim.lua(`_G.act = function() ${lua} end`);
    await nvim.input(':lua act()<CR>');
    await nvim.waitForScreen(/^acp: .*(last|:messages)/m);
    expect(await nvim.lua('return vim.api.nvim_get_mode()')).toEqual({ mode: 'n', blocking: false });
    expect(nvim.screen.text()).not.toContain('Press ENTER');
    expect(await nvim.messages()).toContain('last');
  });
});
