import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { recordNotifications, recordQuestions, User } from '../support/nvim/user.ts';

/** Answers every picker with the item whose label has this ending. */
const choose = (ending: string) => `
_G.seen = {}
vim.ui.select = function(items, options, on_choice)
  for _, item in ipairs(items) do
    table.insert(_G.seen, options.format_item(item))
    if vim.endswith(options.format_item(item), '${ending}') or options.format_item(item):find('${ending}', 1, true) then
      return on_choice(item)
    end
  end
end`;

const seen = (nvim: TestNvim) => nvim.lua<string[]>('return _G.seen');

const program = path.join(repoRoot, 'test/fixtures/agents/settings.mjs');

/** A chat with an agent that has a mode, a model and two options. `fields` are those of the agent, as Lua. */
async function startWithSettings(
  start: (options?: NvimOptions) => Promise<TestNvim>,
  { fields = '{}', config = '{}', init = '' } = {},
): Promise<TestNvim> {
  const agent = `vim.tbl_extend('force', { command = { 'node', ${JSON.stringify(program)} } }, ${fields})`;
  const options = `vim.tbl_extend('force', { agents = { settings = ${agent} } }, ${config})`;
  return startChat(start, { agent: 'settings', columns: 120, config: options, init });
}

/** The values of a category: the mode and the model as the status has them. */
const current = (nvim: TestNvim) =>
  nvim.lua<string[]>(
    "local chat = require('acp').sessions()[1]; return { chat.mode or '', chat.model or '' }",
  );

async function waitForValues(nvim: TestNvim, ...values: readonly string[]): Promise<void> {
  await nvim.waitFor(
    async () => JSON.stringify(await current(nvim)) === JSON.stringify(values),
    `the mode and the model ${values.join(', ')}`,
  );
}

describe('settings of a session', () => {
  it('show the modes of the agent, and the chosen one in the winbar', async ({ start }) => {
    const nvim = await startChat(start, { init: choose('Brief'), columns: 120 });
    await nvim.waitForScreen(/Tour +Guided/);
    await nvim.command('AcpMode');
    await nvim.waitForScreen(/Tour +Brief/);
    expect((await seen(nvim))[0]).toMatch(/^› Guided/);
  });

  it('are chosen from a list by :AcpOption', async ({ start }) => {
    const nvim = await startChat(start, { init: choose('Mode: Guided'), columns: 120 });
    await nvim.command('AcpOption');
    await nvim.waitFor(async () => (await seen(nvim)).length > 2, 'the values of the mode');
    expect((await seen(nvim))[0]).toBe('Mode: Guided');
  });

  it('are reported as missing when the agent has none', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    await nvim.command('AcpModel');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('Tour offers no model to choose'),
      'the message',
    );
    await nvim.command('AcpOption effort high');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('Tour has no option "effort"; it offers mode'),
      'the options that it has',
    );
  });
});

describe('settings by name', () => {
  it('are changed by :AcpMode, :AcpModel and :AcpOption, with typed completion', async ({ start }) => {
    const nvim = await startWithSettings(start);
    await nvim.input(':AcpMode pl<Tab><CR>');
    await waitForValues(nvim, 'The plan', 'The sonnet');
    await nvim.input(':Acp model opus<CR>');
    await waitForValues(nvim, 'The plan', 'The opus');
    await nvim.input(':AcpOption ef<Tab> h<Tab><CR>');
    await nvim.waitForScreen('Effort: The high');
    await nvim.input(':AcpOption fast on<CR>');
    await nvim.waitForScreen('Fast: on');
  });

  it.for<[string, readonly string[]]>([
    ['AcpMode ', ['ask', 'plan', 'act', 'bypassPermissions']],
    ['AcpModel op', ['opus', 'opus-large']],
    ['Acp model h', ['haiku']],
    ['AcpOption ', ['mode', 'model', 'effort', 'fast']],
    ['AcpOption effort ', ['low', 'high']],
    ['Acp option fast ', ['on', 'off']],
    ['AcpOption nothing ', []],
  ])('complete: %s', async ([line, words], { start }) => {
    const nvim = await startWithSettings(start);
    expect(await nvim.lua("return vim.fn.getcompletion(..., 'cmdline')", line)).toEqual(words);
  });

  it('say what there is for a word that names nothing, and let choose among several', async ({ start }) => {
    const nvim = await startWithSettings(start, { init: `${recordQuestions}\n${recordNotifications}` });
    const user = new User(nvim);
    await nvim.command('AcpModel gpt');
    const said = () => nvim.lua<string[]>('return _G.said');
    await nvim.waitFor(async () => (await said()).length > 0, 'a message');
    expect((await said())[0]).toContain(
      'Settings has no Model "gpt"; it offers sonnet, opus, opus-large, haiku',
    );
    await nvim.command('AcpModel the o');
    expect(await user.nextLabels()).toEqual(['  The opus', '  The opus-large']);
    await user.pick('The opus-large');
    await waitForValues(nvim, 'The ask', 'The opus-large');
  });

  it('are changed once the agent is ready if they are named before', async ({ start }) => {
    const nvim = await startWithSettings(start);
    await nvim.input(':AcpNew settings | AcpMode plan<CR>');
    await nvim.waitFor(
      () => nvim.lua<boolean>("return (require('acp').sessions()[2] or {}).mode == 'The plan'"),
      'the mode of the second chat',
    );
  });
});

describe('new sessions', () => {
  it('start with what is configured for the agent', async ({ start }) => {
    const nvim = await startWithSettings(start, {
      fields: "{ mode = 'plan', model = 'opus', options = { effort = 'high', fast = true } }",
    });
    await nvim.input(':AcpSend hello<CR>');
    await nvim.waitForScreen('values mode=plan model=opus effort=high fast=true');
  });

  it('say once what the agent does not have, and what it offers', async ({ start }) => {
    const nvim = await startWithSettings(start, { fields: "{ mode = 'turbo' }" });
    await nvim.waitForScreen('Settings has no Mode "turbo" (agents.settings.');
    await nvim.waitForScreen('It offers: ask, plan, act, bypassPermissions.');
    await nvim.command('AcpNew settings');
    await nvim.waitFor(
      () => nvim.lua<boolean>("return (require('acp').sessions()[2] or {}).state == 'idle'"),
      'the second chat',
    );
    expect((await transcript(nvim)).join('\n')).not.toContain('turbo');
  });

  it('start with what was chosen last, if the option says so', async ({ start }) => {
    const nvim = await startWithSettings(start, {
      config: '{ remember = true }',
      fields: "{ model = 'opus' }",
    });
    await waitForValues(nvim, 'The ask', 'The opus');
    await nvim.command('AcpMode act');
    await nvim.command('AcpModel haiku');
    await waitForValues(nvim, 'The act', 'The haiku');
    await nvim.command('AcpMode bypassPermissions');
    await waitForValues(nvim, 'The bypassPermissions', 'The haiku');
    const file = await nvim.lua<string>("return require('acp.paths').state('settings.json')");
    await nvim.waitFor(() => fs.readFileSync(file, 'utf8').includes('haiku'), 'the file');
    await nvim.input(':AcpNew settings<CR>');
    await nvim.waitFor(
      () => nvim.lua<boolean>("return (require('acp').sessions()[2] or {}).mode == 'The act'"),
      'the mode of the second chat',
    );
    // What is configured counts more.
    expect(await nvim.lua("return require('acp').sessions()[2].model")).toBe('The opus');
  });

  it('continue with their values after a restart of the host', async ({ start }) => {
    const agents = `{ agents = { settings = { command = { 'node', ${JSON.stringify(program)} } } } }`;
    const nvim = await start({ columns: 120, init: `vim.g.acp = ${agents}` });
    await nvim.command('AcpChat settings');
    await nvim.input('<Esc>');
    await waitForValues(nvim, 'The ask', 'The sonnet');
    await nvim.lua("require('acp').send('one')");
    await nvim.waitForScreen('values mode=ask');
    await nvim.command('AcpMode plan | AcpOption fast on');
    await nvim.waitForScreen('Fast: on');
    await nvim.command('AcpRestart!');
    await nvim.waitForScreen('was restarted');
    await nvim.lua("require('acp').send('two')");
    await nvim.waitForScreen(/values mode=plan model=sonnet effort=low\s.*fast=true/s);
  });

  it('are told about options of the wrong kind', async ({ nvim }) => {
    await nvim.lua(`require('acp').setup({
      remember = { 'mode', 'hat' }, agents = { a = { command = { 'x' }, mode = 5, options = { 'x' } } },
    })`);
    const messages = await nvim.messages();
    expect(messages).toContain('remember has "hat"; expected "mode", "model", "options"');
    expect(messages).toContain('agents.a.mode is 5; expected the name of a mode');
    expect(messages).toContain('agents.a.options is a table; expected a table of strings and booleans');
  });
});

describe('the key that changes the mode', () => {
  it('goes through the modes in Insert and in Normal mode, but not to one without questions', async ({
    start,
  }) => {
    const nvim = await startWithSettings(start);
    await nvim.input('i<S-Tab>');
    await waitForValues(nvim, 'The plan', 'The sonnet');
    // The second one comes before the agent has answered the first.
    await nvim.input('<Esc><S-Tab><S-Tab>');
    await waitForValues(nvim, 'The ask', 'The sonnet');
    expect(await nvim.lines()).toEqual(['']);
  });

  it('goes through the configured modes only', async ({ start }) => {
    const nvim = await startWithSettings(start, { config: "{ modes = { 'ask', 'bypass', 'none' } }" });
    await nvim.input('<S-Tab>');
    await waitForValues(nvim, 'The bypassPermissions', 'The sonnet');
    await nvim.input('<S-Tab>');
    await waitForValues(nvim, 'The ask', 'The sonnet');
  });

  it('moves in an open completion menu instead', async ({ start }) => {
    const init = `
      vim.keymap.set('i', '<S-Tab>', function()
        return vim.fn.pumvisible() == 1 and '<C-p>' or '<S-Tab>'
      end, { expr = true })
      vim.o.completeopt = 'menuone,noinsert'`;
    const nvim = await startWithSettings(start, { init });
    await nvim.input('iappear apple <C-x><C-n>');
    await nvim.waitFor(() => nvim.lua<boolean>('return vim.fn.pumvisible() == 1'), 'the menu');
    await nvim.input('<S-Tab>');
    await nvim.waitFor(
      () => nvim.lua<boolean>('return vim.fn.complete_info().selected ~= 0'),
      'another item of the menu',
    );
    await nvim.input('<C-e><Esc>');
    await nvim.lua("require('acp').send('values')");
    await nvim.waitForScreen('values mode=ask');
  });

  it('asks for the menu of blink.cmp too, and a snippet keeps it', async ({ start }) => {
    const init = `
      _G.pressed = 0
      vim.keymap.set('i', '<S-Tab>', function() _G.pressed = _G.pressed + 1 end)
      package.loaded['blink.cmp'] = { is_menu_visible = function() return _G.is_open == true end }`;
    const nvim = await startWithSettings(start, { init });
    await nvim.lua('_G.is_open = true');
    await nvim.input('i<S-Tab>');
    await nvim.waitFor(() => nvim.lua<boolean>('return _G.pressed == 1'), 'the mapping of the user');
    await nvim.lua("_G.is_open = false; vim.snippet.expand('$1 and $2'); vim.snippet.jump(1)");
    await nvim.input('<S-Tab>');
    await nvim.waitFor(() => nvim.lua<boolean>('return _G.pressed == 2'), 'the mapping of the user again');
    expect(await current(nvim)).toEqual(['The ask', 'The sonnet']);
    await nvim.lua('vim.snippet.stop()');
    await nvim.input('<S-Tab>');
    await waitForValues(nvim, 'The plan', 'The sonnet');
    expect(await nvim.lua('return _G.pressed')).toBe(2);
  });

  it('has mappings for every window, also for favourite models', async ({ start }) => {
    const nvim = await startWithSettings(start, { config: "{ models = { 'haiku', 'sonnet', 'gpt' } }" });
    await nvim.lua(`
      vim.keymap.set({ 'n', 'i' }, '<F5>', '<Plug>(acp-cycle-model)')
      vim.keymap.set('n', '<F6>', '<Plug>(acp-cycle-mode)')`);
    await nvim.command('wincmd t | enew');
    await nvim.input('<F5>');
    await waitForValues(nvim, 'The ask', 'The haiku');
    await nvim.input('i<F5><Esc><F6>');
    await waitForValues(nvim, 'The plan', 'The sonnet');
    expect(await nvim.lines()).toEqual(['']);
    await waitForPhase(nvim, 'idle');
  });
});
