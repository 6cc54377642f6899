import path from 'node:path';
import { onTestFinished } from 'vitest';
import { startChat } from './chat.ts';
import type { NvimOptions, TestNvim } from './nvim.ts';
import { repoRoot } from './nvim-process.ts';
import type { WireMessage } from './piped-connection.ts';
import { Puppet } from './puppet.ts';
import { Sandbox } from './sandbox.ts';

export interface PuppetChat {
  readonly nvim: TestNvim;
  readonly agent: Puppet;
  /** Sends a prompt and says what the agent says in its turn, which goes on. */
  turn(prompt: string, ...said: readonly WireMessage[]): Promise<{ end(): void }>;
}

/** A Neovim with a chat whose agent says what the test says. */
export async function startPuppetChat(
  start: (options?: NvimOptions) => Promise<TestNvim>,
  options: NvimOptions & { readonly config?: string } = {},
): Promise<PuppetChat> {
  const sandbox = new Sandbox();
  const agent = new Puppet(sandbox.root);
  await agent.listen();
  onTestFinished(() => agent.dispose());
  const program = path.join(repoRoot, 'test/fixtures/agents/puppet.mjs');
  const init = `${options.init ?? ''}
    vim.g.acp = vim.tbl_deep_extend('force', vim.g.acp, {
      agents = { puppet = { command = { 'node', '${program}', '${agent.socketPath}' } } },
    })`;
  const nvim = await startChat(start, { ...options, sandbox, init, agent: 'puppet' });
  return {
    nvim,
    agent,
    turn: async (prompt, ...said) => {
      await nvim.command(`AcpSend ${prompt}`);
      const request = await agent.hears('session/prompt');
      agent.say(...said);
      return { end: () => agent.reply(request, { stopReason: 'end_turn' }) };
    },
  };
}
