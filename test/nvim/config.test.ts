import { describe, expect } from 'vitest';
import { it } from '../support/nvim/it.ts';
import { recordNotifications } from '../support/nvim/user.ts';
import { waitFor } from '../support/wait.ts';

const setOptions =
  "local config = require('acp.config') config.set(...) return { config.get(), config.complaints() }";

describe('options', () => {
  it('have defaults without setup()', async ({ nvim }) => {
    const [merged, complaints] = await nvim.lua<[Record<string, unknown>, string[]]>(setOptions, {});
    expect(merged).toMatchObject({ node: 'node', host: 'own', position: 'right', keys: { send: '<CR>' } });
    expect(complaints).toEqual([]);
  });

  it.for([
    [{ position: 'middle' }, 'position is "middle"; expected one of "right", "left", "top", "bottom"'],
    [{ size: 'big' }, 'size is "big"; expected a number'],
    [{ colour: 'red' }, 'unknown option "colour"; see :help acp-options'],
    [{ keys: { sned: 'x' } }, 'unknown option "keys.sned"; see :help acp-options'],
    [{ keys: { send: 5 } }, 'keys.send is 5; expected a string'],
    [{ keys: 'all' }, 'keys is "all"; expected a table'],
    [{ context: true }, 'context is true; expected a table or false'],
    [{ context: { curser: true } }, 'unknown option "context.curser"; see :help acp-options'],
    [{ context: { file: 'yes' } }, 'context.file is "yes"; expected a boolean'],
  ] as const)(
    'are replaced by their default and reported when wrong: %j',
    async ([options, complaint], { nvim }) => {
      const [merged, complaints] = await nvim.lua<[Record<string, unknown>, string[]]>(setOptions, options);
      expect(complaints).toEqual([complaint]);
      expect(merged).toMatchObject({ position: 'right', size: 0.42, keys: { send: '<CR>' } });
    },
  );

  it('send nothing along with a prompt by default, nor with context = false', async ({ nvim }) => {
    const nothing = { file: false, cursor: false, selection: false };
    for (const options of [{}, { context: {} }, { context: false }]) {
      const [merged, complaints] = await nvim.lua<[Record<string, unknown>, string[]]>(setOptions, options);
      expect(merged).toMatchObject({ context: nothing });
      expect(complaints).toEqual([]);
    }
  });

  it('come from vim.g.acp, a table or a function, and from setup(), which overrides it', async ({
    start,
  }) => {
    const table = await start({ init: "vim.g.acp = { agent = 'one' }" });
    expect(await table.lua("return require('acp.config').get().agent")).toBe('one');
    const func = await start({ init: "vim.g.acp = function() return { agent = 'two' } end" });
    expect(await func.lua("return require('acp.config').get().agent")).toBe('two');
    await func.lua("require('acp').setup({ agent = 'three' })");
    expect(await func.lua("return require('acp.config').get().agent")).toBe('three');
  });

  it('add up: groups are merged, lists are replaced, and false starts over', async ({ start }) => {
    const nvim = await start({ init: "vim.g.acp = { size = 0.3, keys = { send = '<C-g>' } }" });
    const add = (options: string) =>
      nvim.lua<Record<string, unknown>>(`
        require('acp').setup(${options})
        local options = require('acp.config').get()
        return {
          size = options.size, review = options.review, permissions = options.permissions, question = options.question,
          keys = { options.keys.send, options.keys.help }, context = options.context,
          agents = (function() local names = vim.tbl_keys(options.agents) table.sort(names) return names end)(),
          notify = options.notify,
        }`);
    await add(`{
      permissions = { 'preset edits', 'allow run ls' },
      agents = { mine = { command = { 'my-agent', '--acp' } } },
      question = 'float',
    }`);
    await add("{ agents = { other = { command = { 'other' } } }, keys = { help = 'g!' } }");
    const sum = await add(
      "{ review = 'inline', permissions = { 'preset tests' }, context = { file = true } }",
    );
    expect(sum).toMatchObject({
      size: 0.3,
      review: 'inline',
      permissions: ['preset tests'],
      question: 'float',
      keys: ['<C-g>', 'g!'],
      context: { file: true },
      agents: expect.arrayContaining(['mine', 'other']),
    });
    expect(await add('nil')).toEqual(sum);
    expect(await add('{ permissions = {} }')).toEqual({ ...sum, permissions: [] });
    expect(await add('{ context = false }')).toMatchObject({ context: { file: false } });
    expect(await add('false')).toMatchObject({
      size: 0.3,
      review: 'split',
      permissions: [],
      keys: ['<C-g>', 'g?'],
    });
  });

  it('that are wrong are reported once', async ({ start }) => {
    const nvim = await start({ init: `${recordNotifications} vim.g.acp = { colour = 'red' }` });
    await nvim.lua("require('acp').setup({ size = 'big' }) require('acp').setup({ size = 0.4 })");
    const said = await nvim.lua<string[]>('return _G.said');
    expect(said.filter((text) => text.includes('colour'))).toHaveLength(1);
    expect(said.filter((text) => text.includes('size'))).toHaveLength(1);
  });

  it('reach a running host when setup() is called again', async ({ start }) => {
    const nvim = await start({ init: "vim.g.acp = { log_level = 'error' }" });
    const host = await nvim.attachHost();
    const configured: unknown[] = [];
    host.configure = (options) => configured.push(options);
    await nvim.lua(`require('acp').setup({
      strict = true,
      on_conflict = 'refuse',
      log_level = 'debug',
      keys = { cancel = false, next_question = 'gz' },
    })`);
    await waitFor(() => configured.length > 0);
    expect(configured).toEqual([
      {
        logLevel: 'debug',
        shell: expect.any(String),
        isStrict: true,
        hasProposals: false,
        onConflict: 'refuse',
        hasHistory: true,
        keep: { days: 30, count: 100 },
        permissions: [],
        idleMinutes: 0,
        remembered: [],
        settingsFile: expect.stringMatching(/settings\.json$/),
        models: [],
        modes: [],
        leavesMarkdown: false,
        isPlain: false,
        keys: { cancel: '', nextQuestion: 'gz', diff: 'gd' },
        permissionFiles: {
          user: expect.stringMatching(/acp-permissions$/),
          trust: expect.stringMatching(/trusted-permissions\.json$/),
          audit: expect.stringMatching(/decisions\.log$/),
        },
        editorFolders: expect.arrayContaining(
          [/\/config\/nvim$/, /\/data\/nvim$/, /\/state\/nvim$/].map((end) => expect.stringMatching(end)),
        ),
      },
    ]);
  });

  it('allow keys to be changed or disabled', async ({ start }) => {
    const nvim = await start({ init: "vim.g.acp = { keys = { send = '<C-g>', help = false } }" });
    await nvim.attachHost();
    await nvim.command('AcpChat tour');
    const maps = await nvim.lua<string[]>(
      "return vim.tbl_map(function(map) return map.lhs end, vim.api.nvim_buf_get_keymap(0, 'n'))",
    );
    // K comes when the language server is ready.
    expect(maps.filter((key) => key !== 'K').toSorted()).toEqual([
      '<BS>',
      '<C-C>',
      '<C-G>',
      '<C-W><C-F>',
      '<C-W>F',
      '<C-W>f',
      '<C-W>gF',
      '<C-W>gf',
      '<Down>',
      '<M-v>',
      '<S-Tab>',
      '<Up>',
      'gF',
      'gf',
      'gw',
      'gx',
    ]);
  });

  it('add agents and override single keys of the built-in ones', async ({ start }) => {
    const nvim = await start({
      init: "vim.g.acp = { agents = { mine = { command = { 'x' } }, claude = { env = { A = 'b' } } } }",
    });
    const find = (name: string) =>
      nvim.lua<Record<string, unknown>>("return require('acp.agents').find(...)", name);
    expect(await find('mine')).toMatchObject({ name: 'mine', command: ['x'] });
    expect(await find('claude')).toMatchObject({ command: ['claude-agent-acp'], env: { A: 'b' } });
  });
});
