import { describe, expect } from 'vitest';
import { quickTour, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { allowEverything } from '../support/nvim/user.ts';
import { expectNoneLeft, processesWith } from '../support/system/processes.ts';

const size = { columns: 120, lines: 40, init: `${quickTour}\n${allowEverything}` };

/** Commands that do not want to end, each in its own way. */
const stubborn: readonly (readonly [name: string, script: string])[] = [
  ['an ordinary one', 'sleep 1000'],
  ['one that ignores SIGTERM', 'trap "" TERM HUP INT; while :; do sleep 0.1; done'],
  [
    'one with a child in another session',
    'setsid sh -c "trap \\"\\" TERM HUP; while :; do sleep 0.1; done" & sleep 1000',
  ],
  ['one under nohup', 'nohup sleep 1001 2>/dev/null & sleep 1000'],
  ['a double fork', '(sh -c "sleep 1002 & sleep 1003" &); sleep 1000'],
];

async function runStubborn(nvim: TestNvim, script: string): Promise<void> {
  await nvim.command('AcpChat tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  await nvim.command(`AcpSend run echo begun; ${script}`);
  await nvim.waitForScreen('    begun');
  await nvim.waitFor(
    () => processesWith(nvim.sandbox.marker).some(({ command }) => /^sleep/.test(command)),
    'the command to run',
  );
}

const hostPid = (nvim: TestNvim) =>
  nvim.lua<number>("return require('acp.host').request('host.status', {}).pid");

describe('a command in a terminal', () => {
  it.for(stubborn)('is ended by :qa: %s', async ([, script], { start }) => {
    const nvim = await start(size);
    await runStubborn(nvim, script);
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
    await expectNoneLeft(nvim.sandbox.marker);
  });

  it.for(stubborn)('is ended when Neovim is killed: %s', async ([, script], { start }) => {
    const nvim = await start(size);
    await runStubborn(nvim, script);
    process.kill(nvim.pid, 'SIGKILL');
    await nvim.exited;
    await expectNoneLeft(nvim.sandbox.marker);
  });

  it.for(stubborn)('is ended when Neovim and the host are killed: %s', async ([, script], { start }) => {
    const nvim = await start(size);
    await runStubborn(nvim, script);
    const host = await hostPid(nvim);
    process.kill(nvim.pid, 'SIGSTOP');
    process.kill(host, 'SIGKILL');
    process.kill(nvim.pid, 'SIGKILL');
    await nvim.exited;
    await expectNoneLeft(nvim.sandbox.marker);
  });

  it('is ended when the host is killed, and its output is still shown', async ({ start }) => {
    const nvim = await start(size);
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await nvim.command("AcpSend run printf 'one\\ntwo\\n'; exit 3");
    await nvim.waitForScreen('ended with code 3');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpSend run trap "" TERM; sleep 1000; sleep 1000');
    await nvim.waitForScreen('● run     trap');
    const before = (await transcript(nvim)).slice(0, 12);
    process.kill(await hostPid(nvim), 'SIGKILL');
    await nvim.waitForScreen('acp.nvim was restarted');
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen('exit 3');
    expect((await transcript(nvim)).slice(0, 12)).toEqual(before);
    expect(before.join('\n')).toContain('    one\n    two\n');
    await nvim.waitFor(
      () => !processesWith(nvim.sandbox.marker).some(({ command }) => /^sleep/.test(command)),
      'the old command to end',
    );
  });

  it('can be opened in a terminal again after the host was restarted', async ({ start }) => {
    const nvim = await start(size);
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await nvim.command("AcpSend run printf 'one\\n\\033[31mtwo\\033[0m\\n'");
    await nvim.waitForScreen('ended with code 0');
    await nvim.command('AcpRestart!');
    await nvim.waitForScreen('started a new session');
    await nvim.waitForScreen(/✓ run/);
    await nvim.command('call win_gotoid(bufwinid("acp://tour-1"))');
    await nvim.command('call search("✓ run")');
    await nvim.input('<CR>');
    await nvim.waitFor(
      async () => (await nvim.lines()).slice(0, 2).join() === 'one,two',
      'what is left of the terminal',
    );
    expect(await nvim.lua('return vim.b.acp_terminal')).toContain('exit 0');
  });
});
