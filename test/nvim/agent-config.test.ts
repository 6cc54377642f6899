import { describe, expect } from 'vitest';
import { it } from '../support/nvim/it.ts';

const setOptions =
  "local config = require('acp.config') config.set(...) return { config.get(), config.complaints() }";

describe('the configuration of an agent', () => {
  it.for<[object, string]>([
    [{ comand: ['x'] }, 'unknown option "agents.mine.comand"; see :help acp-agents'],
    [
      { command: [] },
      'agents.mine.command is a table; expected a list of words such as { "program", "arg" }',
    ],
    [
      { command: [1] },
      'agents.mine.command is a table; expected a list of words such as { "program", "arg" }',
    ],
    [{ args: 'x' }, 'agents.mine.args is a string; expected a list of words'],
    [{ env: ['x'] }, 'agents.mine.env is a table; expected a table of strings such as { NAME = "value" }'],
    [
      { url: 'hunter2' },
      'agents.mine.url is a string; expected a string that begins with ws://, wss://, http:// or https://',
    ],
    [
      { transport: 'pigeon' },
      'agents.mine.transport is "pigeon"; expected one of "stdio", "websocket", "http", "post"',
    ],
    [
      { headers: 'hunter2' },
      'agents.mine.headers is a string; expected a table of strings such as { Authorization = "Bearer …" }',
    ],
    [{ framing: 'xml' }, 'agents.mine.framing is "xml"; expected "content-length" or nothing'],
    [
      { paths: { srv: '/x' } },
      'agents.mine.paths is a table; expected a table of folders such as { ["/there"] = "/here" }',
    ],
  ])(
    'is reported without secrets and left out where it is wrong: %j',
    async ([agent, complaint], { nvim }) => {
      const good = { install: 'with care' };
      const options = { agents: { mine: { ...agent, ...good } } };
      const [merged, complaints] = await nvim.lua<[{ agents: unknown }, string[]]>(setOptions, options);
      expect(complaints).toEqual([complaint]);
      expect(merged.agents).toEqual({ mine: good });
    },
  );

  it('must be a table', async ({ nvim }) => {
    const [, complaints] = await nvim.lua<[unknown, string[]]>(setOptions, { agents: { mine: 'x' } });
    expect(complaints).toEqual([
      'agents.mine is a string; expected a table such as { command = { "program" } }',
    ]);
  });

  it.for<[string, string, object]>([
    ['a command', "{ command = { 'x', 'y' } }", { command: ['x', 'y'], transport: 'stdio' }],
    ['a program and arguments', "{ command = 'my x', args = { 'y' } }", { command: ['my x', 'y'] }],
    ['a line', "{ command = ' no-such  x y ' }", { command: ['no-such', 'x', 'y'] }],
    [
      'a WebSocket',
      "{ url = 'wss://h/acp', command = 'x' }",
      { command: [], transport: 'websocket', url: 'wss://h/acp' },
    ],
    ['HTTP', "{ url = 'HTTP://h/acp' }", { transport: 'http' }],
    [
      'POST',
      "{ url = 'http://h/', transport = 'post', headers = { A = 'b' } }",
      { transport: 'post', headers: { A: 'b' } },
    ],
    [
      'a WebSocket by another address',
      "{ url = 'http://h/', transport = 'websocket' }",
      { transport: 'websocket' },
    ],
    [
      'its program all the same',
      "{ url = 'http://h/', transport = 'stdio', command = 'x' }",
      { command: ['x'] },
    ],
  ])('may be %s', async ([, agent, expected], { start }) => {
    const nvim = await start({ init: `vim.g.acp = { agents = { mine = ${agent} } }` });
    expect(await nvim.lua("return require('acp.agents').find('mine')")).toMatchObject(expected);
    expect(await nvim.messages()).toBe('');
  });

  it('may give a built-in agent another URL or more arguments', async ({ start }) => {
    const init = "vim.g.acp = { agents = { claude = { url = 'wss://h/' }, gemini = { args = { '-x' } } } }";
    const nvim = await start({ init });
    const find = (name: string) =>
      nvim.lua<Record<string, unknown>>("return require('acp.agents').find(...)", name);
    const claude = await find('claude');
    expect(claude).toMatchObject({ command: [], transport: 'websocket' });
    expect(claude).not.toHaveProperty('install');
    expect(await find('gemini')).toMatchObject({ command: ['gemini', '--acp', '-x'], transport: 'stdio' });
    expect(await nvim.lua("return require('acp.agents').default()"), 'nobody can look there').toBe('claude');
  });

  it.for([
    [
      '{}',
      'acp: mine has no command. Set agents.mine.command to a list such as { "program", "arg" }, or agents.mine.url.',
    ],
    [
      "{ transport = 'http' }",
      'acp: mine has no url. Set agents.mine.url to an address such as "wss://host/acp".',
    ],
    [
      "{ transport = 'post', url = 'ws://h/' }",
      'acp: mine has a url for a WebSocket, but its transport is "post". Correct agents.mine.transport.',
    ],
  ])('may be incomplete, which is reported: %s', async ([agent, message], { start }) => {
    const nvim = await start({ init: `vim.g.acp = { agents = { mine = ${agent} } }`, columns: 160 });
    await expect(nvim.command('AcpChat mine')).rejects.toThrow(message);
    expect(
      await nvim.lua("return require('acp.agents').is_installed(require('acp.agents').find('mine'))"),
    ).toBe(false);
  });
});
