import { describe, expect } from 'vitest';
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
    expect(report).toMatch(/OK tour: node .*tour\.js/);
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

  it('shows the command of an agent without secrets', async ({ start }) => {
    const command = "{ 'sh', '--api-key', 'hunter2', '--token=hunter2', 'KEY=hunter2', '--flag', 'shown' }";
    const report = await health(
      await start({ init: `vim.g.acp = { agents = { own = { command = ${command} } } }` }),
    );
    expect(report).toContain('own: sh --api-key *** --token=*** KEY=*** --flag shown');
    expect(report).not.toContain('hunter2');
  });

  it('shows the address of a remote agent without secrets, and does not call it missing', async ({
    start,
  }) => {
    const agent = "{ url = 'wss://me:hunter2@host/acp?token=hunter2', headers = { X = 'hunter2' } }";
    const report = await health(await start({ init: `vim.g.acp = { agents = { far = ${agent} } }` }));
    expect(report).toContain('far: wss://host/acp, over websocket');
    expect(report).not.toMatch(/hunter2|far: .* is not on PATH/);
  });
});
