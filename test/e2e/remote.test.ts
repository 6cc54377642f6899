import { describe, expect } from 'vitest';
import { startRemoteAgent } from '../support/agents/remote-agent.ts';
import { converse, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';

describe('a Neovim that starts everything itself', () => {
  it.for(['websocket', 'http'] as const)(
    'speaks with an agent elsewhere over %s',
    async (kind, { start }) => {
      const remote = await startRemoteAgent();
      const agent = `{ url = '${remote.url(kind)}', headers = { ['X-Key'] = 'hunter2' } }`;
      const nvim = await start({ init: `vim.g.acp = { agents = { far = ${agent} }, log_level = 'debug' }` });
      await nvim.command('AcpChat far');
      await nvim.input('<Esc>');
      await waitForPhase(nvim, 'idle');
      await converse(nvim, 'count 3');
      expect((await transcript(nvim)).join('\n')).toContain('0 1 2');
      expect(remote.requests[0]?.['x-key']).toBe('hunter2');
      const log = await nvim.lua<string>(
        "return table.concat(vim.fn.readfile(require('acp.paths').log()), '\\n')",
      );
      expect(log).toContain(`chat 1: ${remote.url(kind)}`);
      expect(log).not.toContain('hunter2');
    },
  );
});
