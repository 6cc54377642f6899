import { describe, expect } from 'vitest';
import { converse, drawn, promptText, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

/** A chat whose agent has the given Lua settings and may fail to start. */
async function openChat(start: Start, agent: string): Promise<TestNvim> {
  const nvim = await start({ init: `vim.g.acp = { agents = { naughty = ${agent} } }`, columns: 140 });
  await nvim.attachHost();
  await nvim.command('AcpChat naughty');
  await nvim.input('<Esc>');
  return nvim;
}

const tour = (env: string) =>
  `{ command = { 'node', require('acp.paths').root .. '/dist/tour.js' }, env = { ACP_TOUR_PACE = '0', ${env} } }`;

describe('an agent that fails', () => {
  it.for([
    {
      name: 'is not installed',
      agent: "{ command = { 'no-such-agent' }, install = 'Install it with care' }",
      lines: [
        '! naughty is not installed: "no-such-agent" was not found.',
        '  Install it with care',
        '  Then the next prompt starts the agent.',
      ],
    },
    {
      name: 'exits at once',
      agent: "{ command = { 'sh', '-c', 'echo set a key >&2; exit 3' } }",
      lines: ['! naughty exited with code 3.', '  set a key', '  :AcpRestart starts it again.'],
    },
    {
      name: 'speaks another version',
      agent: tour("ACP_TOUR_START = 'version'"),
      lines: [
        '! naughty uses ACP version 99; this plugin supports version 1.',
        '  Update acp.nvim or the agent, then :AcpRestart.',
      ],
    },
  ])('is reported with what happened and what to do: $name', async ({ agent, lines }, { start }) => {
    const nvim = await openChat(start, agent);
    await waitForPhase(nvim, 'down');
    await drawn(nvim);
    expect((await transcript(nvim)).filter(Boolean)).toEqual(lines);
    await nvim.waitForScreen('✗ no agent');
  });

  it('returns a prompt that was sent while it started', async ({ start }) => {
    const nvim = await openChat(start, "{ command = { 'sh', '-c', 'read line; exit 3' } }");
    await nvim.input('imy prompt<Esc><CR>');
    await waitForPhase(nvim, 'down');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'my prompt', 'the prompt again');
    expect(await transcript(nvim)).not.toContain('You');
  });

  it('shows the last lines of stderr when it exits during a turn, and can be restarted', async ({
    start,
  }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpSend crash');
    await waitForPhase(nvim, 'down');
    await drawn(nvim);
    const text = (await transcript(nvim)).join('\n');
    expect(text).toContain('! Tour exited with code 41 while answering.');
    expect(text).toContain(':AcpRestart starts it again.');
    await nvim.command('AcpRestart');
    await waitForPhase(nvim, 'idle');
    await converse(nvim, 'hello');
  });

  it('is restarted by the next prompt after it exited', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpSend crash');
    await waitForPhase(nvim, 'down');
    await converse(nvim, 'hello again');
  });

  it('shows how long it has been starting', async ({ start }) => {
    const nvim = await openChat(start, tour("ACP_TOUR_START = 'hang'"));
    await nvim.waitForScreen('○ starting naughty 1 s');
    await nvim.command('AcpCancel');
    await nvim.command('AcpRestart');
    await waitForPhase(nvim, 'starting');
  });

  it('leaves the transcript unchanged when it sends invalid messages', async ({ start }) => {
    const script = 'read line; echo garbage; echo 42; echo "{}"; cat > /dev/null';
    const nvim = await openChat(start, `{ command = { 'sh', '-c', '${script}' } }`);
    await nvim.waitForScreen('○ starting naughty 1 s');
    expect((await transcript(nvim)).filter(Boolean)).toEqual([]);
  });
});
