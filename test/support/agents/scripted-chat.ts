import path from 'node:path';
import { onTestFinished } from 'vitest';
import { startChat } from '../nvim/chat.ts';
import type { NvimOptions, TestNvim } from '../nvim/nvim.ts';
import { repoRoot } from '../nvim/nvim-process.ts';
import { Sandbox } from '../nvim/sandbox.ts';
import type { WireMessage } from './piped-connection.ts';
import { ScriptedAgent } from './scripted-agent.ts';

export interface ScriptedChat {
  readonly nvim: TestNvim;
  readonly agent: ScriptedAgent;
  /** Sends a prompt and, in its turn, the messages of the agent. The turn ends with `end`. */
  turn(prompt: string, ...said: readonly WireMessage[]): Promise<{ end(): void }>;
}

/** A chat in Neovim with a scripted agent. */
export async function startScriptedChat(
  start: (options?: NvimOptions) => Promise<TestNvim>,
  options: NvimOptions & { readonly config?: string } = {},
): Promise<ScriptedChat> {
  const sandbox = new Sandbox();
  const agent = new ScriptedAgent(sandbox.root);
  onTestFinished(() => agent.dispose());
  const program = path.join(repoRoot, 'test/fixtures/agents/scripted.mjs');
  const init = `${options.init ?? ''}
    vim.g.acp = vim.tbl_deep_extend('force', vim.g.acp, {
      agents = { tester = { command = { 'node', '${program}', '${agent.socketPath}' } } },
    })`;
  const nvim = await startChat(start, { ...options, sandbox, init, agent: 'tester' });
  return {
    nvim,
    agent,
    turn: async (prompt, ...said) => {
      await nvim.command(`AcpSend ${prompt}`);
      const request = await agent.receive('session/prompt');
      agent.send(...said);
      return { end: () => agent.reply(request, { stopReason: 'end_turn' }) };
    },
  };
}
