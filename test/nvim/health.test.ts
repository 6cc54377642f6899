import fs from 'node:fs';
import { describe, expect } from 'vitest';
import known from '../../lua/acp/secret_names.json' with { type: 'json' };
import { redactText } from '../../src/system/redact.ts';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

async function health(nvim: TestNvim): Promise<string> {
  await nvim.command('checkhealth acp');
  return (await nvim.waitFor(async () => {
    const text = (await nvim.lines()).join('\n');
    return text.includes('journals:') && text;
  }, 'the report')) as string;
}

describe(':checkhealth acp', () => {
  it('reports Neovim, Node, the build, terminals, the host, the agents and the files', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('wincmd t');
    const report = await health(nvim);
    for (const fact of [/OK version 0\.1\d/, /OK .*node v2\d/, /OK built: .*host\.js/, /OK node-pty loads/]) {
      expect(report).toMatch(fact);
    }
    expect(report).toMatch(/host = "own", version \d+\.\d+\.\d+, pid \d+/);
    expect(report).toContain('chat 1 with tour: idle');
    expect(report).toMatch(/OK tour: \S*node .*tour\.js/);
    expect(report).toMatch(/claude: "claude-agent-acp" is not on PATH. Install it: npm install/);
    expect(report).toMatch(/Log in: :AcpLogin, or set ANTHROPIC_API_KEY/);
    expect(report).toMatch(/log: .*acp\.log/);
  });

  it('reports a missing node, a wrong option and an agent without a command, with advice', async ({
    start,
  }) => {
    const init = "vim.g.acp = { node = 'no-such-node', colour = 'red', agents = { odd = {} } }";
    const report = await health(await start({ init }));
    expect(report).toMatch(/ERROR "no-such-node" was not found[\s\S]*Install Node 20/);
    expect(report).toContain('WARNING unknown option "colour"');
    expect(report).toMatch(/ERROR odd has no command[\s\S]*agents\.odd\.command/);
  });

  it('warns of folders of the plugin that other users can write to', async ({ start }) => {
    const nvim = await start();
    const [state, cache] = await nvim.lua<[string, string]>(`
      local paths = require('acp.paths')
      vim.fn.mkdir(paths.state(), 'p', '0700')
      vim.fn.mkdir(paths.cache(), 'p', '0700')
      return { paths.state(), paths.cache() }`);
    const warning = (folder: string) => `other users can write to ${folder}`;
    fs.chmodSync(state, 0o770);
    const report = await health(nvim);
    expect(report).toContain(warning(state));
    expect(report).not.toContain(warning(cache));
  });

  it('shows the commands of agents without secrets', async ({ start }) => {
    const commands = [
      ["'--api-key', 'hunter2', '--flag', 'shown'", '--api-key *** --flag shown'],
      ["'--token=hunter2', 'KEY=hunter2', 'a=b=c'", '--token=*** KEY=*** a=b=c'],
      ["'-H', 'Authorization: Bearer hunter2'", '-H Authorization: ***'],
      ["'-c', 'TOKEN=hunter2 agent --password hunter2'", '-c TOKEN=*** agent --password ***'],
      ["'-c', 'agent --password hunter2 on'", '-c agent --password *** on'],
      ["'https://me:hunter2@host/x?key=hunter2'", 'https://host/x?key=***'],
      ["'sk-hunter2-hunter2'", '***'],
    ] as const;
    const agents = commands.map(([words], index) => `own${index} = { command = { 'sh', ${words} } }`);
    const report = await health(await start({ init: `vim.g.acp = { agents = { ${agents.join(', ')} } }` }));
    for (const [index, [, shown]] of commands.entries())
      expect(report).toContain(`own${index}: sh ${shown}\n`);
    expect(report).not.toContain('hunter2');
  });

  it('warns of a connection that is not encrypted, unless it stays on this machine', async ({ start }) => {
    const urls = [
      'ws://host/acp',
      'http://host/acp',
      'wss://host/acp',
      'ws://localhost:1/acp',
      'http://[::1]/',
    ];
    const agents = urls.map((url, index) => `far${index} = { url = '${url}' }`);
    const report = await health(await start({ init: `vim.g.acp = { agents = { ${agents.join(', ')} } }` }));
    const warned = [...report.matchAll(/WARNING (far\d)/g)].map(([, name]) => name);
    expect(warned.sort()).toEqual(['far0', 'far1']);
  });

  it('shows the address of a remote agent without secrets, and does not call it missing', async ({
    start,
  }) => {
    const agent =
      "{ url = 'wss://me:hunter2@host/0123456789hunter2/acp?token=hunter2', headers = { X = 'hunter2' } }";
    const report = await health(await start({ init: `vim.g.acp = { agents = { far = ${agent} } }` }));
    expect(report).toContain('far: wss://host/…/acp, over websocket');
    expect(report).not.toMatch(/hunter2|far: .* is not on PATH/);
  });
});

it('Lua and the host know the same names and beginnings of secrets', async ({ nvim }) => {
  const { names, prefixes } = known;
  const words = [
    ...names.flatMap((name) => [`--${name.replace(' ', '-')}`, 'hunter2']),
    ...names.map((name) => `${name.replace(' ', '_').toUpperCase()}=hunter2`),
    ...prefixes.map((prefix) => `${prefix}hunter2hunter2`),
  ];
  const shown = await nvim.lua<string>("return require('acp.agents.without_secrets').command(...)", words);
  expect(shown).not.toContain('hunter2');
  expect(redactText(` ${words.join(' ')}`)).not.toContain('hunter2');
});
