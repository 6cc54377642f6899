import { describe, expect } from 'vitest';
import { startRemoteAgent } from '../support/agents/remote-agent.ts';
import { converse, drawn, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';

describe('a chat with a remote agent', () => {
  it.for(['websocket', 'http'] as const)(
    'over %s continues after the server was restarted',
    async (kind, { start }) => {
      const remote = await startRemoteAgent();
      const config = `{ agents = { far = { url = '${remote.url(kind)}' } } }`;
      const nvim = await startChat(start, { config, agent: 'far', columns: 140 });
      await converse(nvim, 'count 3');
      expect((await transcript(nvim)).join('\n')).toContain('0 1 2');
      await remote.die();
      await waitForPhase(nvim, 'down');
      await drawn(nvim);
      const text = (await transcript(nvim)).join('\n');
      expect(text).toContain('! remote closed the connection.');
      expect(text).toContain(':AcpRestart connects again.');
      await remote.listen();
      await nvim.command('AcpRestart');
      await waitForPhase(nvim, 'idle');
      await converse(nvim, 'count 5');
      expect((await transcript(nvim)).join('\n')).toContain('0 1 2 3 4');
    },
  );

  it('reports an unreachable address and what to do', async ({ start }) => {
    const remote = await startRemoteAgent();
    await remote.die();
    const url = remote.url('websocket').replace('://', '://me:hunter2@');
    const init = `vim.g.acp = { agents = { far = { url = '${url}' } } }`;
    const nvim = await start({ init, columns: 140 });
    await nvim.attachHost();
    await nvim.command('AcpChat far');
    await waitForPhase(nvim, 'down');
    await drawn(nvim);
    expect((await transcript(nvim)).filter(Boolean)).toEqual([
      `! far could not be reached: nothing listens at ${remote.url('websocket')}.`,
      '  Start the server or correct agents.far.url, then :AcpRestart.',
    ]);
  });
});
