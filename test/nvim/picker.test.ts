import { describe, expect } from 'vitest';
import { passes } from '../support/agents/answering.ts';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { recordNotifications, recordQuestions, User } from '../support/nvim/user.ts';

const picker = (fields = '') => `
  require('acp.operations').receive('picker.open', {
    prompt = 'Fruit', kind = 'acp.test', ${fields}
    items = { { label = 'Apple', op = 'taken', payload = {} }, { label = 'Pear' } },
  })`;

async function startPicking(start: (options?: NvimOptions) => Promise<TestNvim>, init = '') {
  const noteTaken = `
    local notify = require('acp.host').notify
    _G.taken = 0
    require('acp.host').notify = function(op, payload)
      if op == 'taken' then _G.taken = _G.taken + 1 else return notify(op, payload) end
    end`;
  const nvim = await startChat(start, {
    init: `${recordQuestions}\n${recordNotifications}\n${noteTaken}\n${init}`,
  });
  const said = async () => (await nvim.lua<string[]>('return _G.said')).join('\n');
  const saysSo = (text: string) => nvim.waitFor(async () => (await said()).includes(text), text);
  return { nvim, user: new User(nvim), saysSo, taken: () => nvim.lua<number>('return _G.taken') };
}

describe('a picker', () => {
  it.for<[string, string, string]>([
    ['Insert mode', 'i', '<Esc>'],
    ['half a command', 'd', '<Esc>'],
    ['a selection', 'v', '<Esc>'],
    ['the command line', ':', '<C-c>'],
    ['the command-line window', 'q:', ':q<CR>'],
  ])(
    'does not open over %s, but notifies the user and opens after that',
    async ([, keys, leave], { start }) => {
      const { nvim, user, saysSo } = await startPicking(start);
      await nvim.input(keys);
      await nvim.lua(picker());
      if (keys !== ':') await saysSo('"Fruit" is ready and opens in Normal mode');
      expect(await user.timesAsked).toBe(0);
      await nvim.input(leave);
      expect((await user.next()).labels).toEqual(['Apple', 'Pear']);
    },
  );

  it('opens immediately in Normal mode, and replaces one that waits', async ({ start }) => {
    const { nvim, user, taken } = await startPicking(start);
    await nvim.input('i');
    await nvim.lua(picker());
    await nvim.lua(picker().replace('Fruit', 'Nuts'));
    await nvim.input('<Esc>');
    expect((await user.next()).prompt).toBe('Nuts');
    await user.pick('Apple');
    expect(await taken()).toBe(1);
    await nvim.lua(picker());
    expect((await user.next()).prompt).toBe('Fruit');
    expect(await user.timesAsked).toBe(2);
  });

  it('that is late waits until no key was typed for a while', async ({ start }) => {
    const { nvim, user } = await startPicking(start, "require('acp.dialogs.dialog').guard_ms = 300");
    await nvim.lua(`
      require('acp.dialogs.picker').loading('asking for fruit …')
      _G.loading_since = vim.uv.hrtime()
      vim.on_key(function() _G.typed = vim.uv.hrtime() end)
      local select = vim.ui.select
      vim.ui.select = function(...) _G.opened_at = vim.uv.hrtime() select(...) end`);
    await nvim.waitFor(() => nvim.lua('return vim.uv.hrtime() - _G.loading_since > 310e6'), 'a late list');
    await nvim.input('j');
    await nvim.waitFor(() => nvim.lua('return _G.typed ~= nil'), 'the key');
    await nvim.lua(picker());
    await user.next();
    expect(await nvim.lua('return (_G.opened_at - _G.typed) / 1e6')).toBeGreaterThanOrEqual(299);
  });

  it('ignores keys typed before it opened if the choice has consequences', async ({ start }) => {
    const { nvim, user, saysSo, taken } = await startPicking(
      start,
      "require('acp.dialogs.dialog').guard_ms = 300",
    );
    await nvim.lua(`
      local select = vim.ui.select
      vim.ui.select = function(items, options, on_choice)
        vim.ui.select = select
        select(items, options, on_choice)
        on_choice(items[1], 1)
      end`);
    await nvim.lua(picker('isGuarded = true,'));
    await user.next();
    await saysSo('typed before the question could be read');
    await user.next();
    expect(await taken()).toBe(0);
    await passes(nvim, 320);
    await user.pick('Apple');
    expect(await taken()).toBe(1);
  });

  it.for([0, 1])('shows its title in the list of Neovim with cmdheight=%i', async (height, { start }) => {
    const nvim = await startChat(start);
    await nvim.command(`set cmdheight=${height}`);
    await nvim.input(':AcpMode<CR>');
    await nvim.waitForScreen(/Mode:? *\n1: /);
    await nvim.input('q<CR>');
  });

  it("is drawn below windows that were opened just before, with Neovim's own list", async ({ start }) => {
    const nvim = await start();
    await nvim.lua(`vim.schedule(function()
      vim.cmd.new()
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'just opened' })
      ${picker()}
    end)`);
    await nvim.waitForScreen(/just opened[\s\S]*2: Pear/);
    await nvim.input('q');
  });

  it('shows that the agent is being asked', async ({ start }) => {
    const { nvim, user, saysSo } = await startPicking(start);
    await nvim.command('AcpSessions');
    expect(await nvim.lua('return _G.said[1]')).toBe('acp: asking tour for its sessions …');
    await user.next();
    await saysSo('asking tour');
  });
});
