import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';

const merge = "local merged, complaints = require('acp.config').merge(...) return { merged, complaints }";

describe('the options', () => {
  it('have defaults without any setup', async ({ nvim }) => {
    const [merged, complaints] = await nvim.lua<[Record<string, unknown>, string[]]>(merge, {});
    expect(merged).toMatchObject({ node: 'node', host: 'own', position: 'right', keys: { send: '<CR>' } });
    expect(complaints).toEqual([]);
  });

  it.for([
    [{ position: 'middle' }, 'position is "middle"; expected one of "right", "left", "top", "bottom"'],
    [{ size: 'big' }, 'size is "big"; expected a number'],
    [{ colour: 'red' }, 'there is no option "colour"; see :help acp-options'],
    [{ keys: { sned: 'x' } }, 'there is no option "keys.sned"; see :help acp-options'],
    [{ keys: { send: 5 } }, 'keys.send is 5; expected a string'],
    [{ keys: 'all' }, 'keys is "all"; expected a table'],
  ] as const)(
    'name what is wrong, and use the default instead: %j',
    async ([options, complaint], { nvim }) => {
      const [merged, complaints] = await nvim.lua<[Record<string, unknown>, string[]]>(merge, options);
      expect(complaints).toEqual([complaint]);
      expect(merged).toMatchObject({ position: 'right', size: 0.42, keys: { send: '<CR>' } });
    },
  );

  it('come from vim.g.acp, a table or a function, and from setup() over that', async ({ start }) => {
    const table = await start({ init: "vim.g.acp = { agent = 'one' }" });
    expect(await table.lua("return require('acp.config').get().agent")).toBe('one');
    const func = await start({ init: "vim.g.acp = function() return { agent = 'two' } end" });
    expect(await func.lua("return require('acp.config').get().agent")).toBe('two');
    await func.lua("require('acp').setup({ agent = 'three' })");
    expect(await func.lua("return require('acp.config').get().agent")).toBe('three');
  });

  it('let a key be changed or left out', async ({ start }) => {
    const nvim = await start({ init: "vim.g.acp = { keys = { send = '<C-g>', help = false } }" });
    await nvim.attachHost();
    await nvim.command('AcpChat tour');
    const maps = await nvim.lua<string[]>(
      "return vim.tbl_map(function(map) return map.lhs end, vim.api.nvim_buf_get_keymap(0, 'n'))",
    );
    expect(maps.toSorted()).toEqual(['<C-C>', '<C-G>']);
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
