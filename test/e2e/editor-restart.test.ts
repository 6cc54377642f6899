import { expect, it } from 'vitest';
import { quickTour } from '../support/nvim/chat.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';
import { expectNoneLeft, killAll, processesWith } from '../support/system/processes.ts';
import { waitFor } from '../support/wait.ts';
import { TerminalNvim } from './terminal-nvim.ts';

const hasRestart = process.env.ACP_TEST_NVIM !== '0.10';

/** The process ids of hosts and agents. */
function started(marker: string): readonly number[] {
  const isOurs = /rplugin\/node\/acp\.js|dist\/tour\.js/;
  return processesWith(marker).flatMap(({ pid, command }) => (isOurs.test(command) ? [pid] : []));
}

it.skipIf(!hasRestart)(
  ':restart in the middle of a turn loses no draft and no conversation, and leaves no process',
  { timeout: 60_000 },
  async () => {
    const sandbox = new Sandbox();
    const nvim = new TerminalNvim(sandbox, quickTour);
    try {
      await nvim.waitForScreen('[No Name]');
      nvim.type(':AcpChat tour\r');
      await nvim.waitForScreen('Welcome');
      nvim.type('hello before the restart\x13');
      await nvim.waitForScreen('I am the tour');
      nvim.type('hang\x13');
      await nvim.waitForScreen('● working');
      nvim.type('a draft');
      await nvim.waitForScreen('› a draft');
      const before = started(sandbox.marker);
      expect(before).toHaveLength(2);
      nvim.type('\x1b:restart AcpChat tour\r');
      await nvim.waitForScreen('was restored');
      await nvim.waitForScreen('› a draft');
      const isReplaced = () => {
        const now = started(sandbox.marker);
        return now.length === 2 && now.every((pid) => !before.includes(pid));
      };
      await waitFor(isReplaced, { describe: () => 'waiting for one host and one agent, both new' });
      nvim.type('\x1b:AcpSearch before\r');
      await nvim.waitForScreen('hello before the restart');
      nvim.type('\r\x1b:qa!\r');
      await nvim.exited;
      await expectNoneLeft(sandbox.marker);
    } finally {
      killAll(sandbox.marker);
      nvim.dispose();
      sandbox.dispose();
    }
  },
);
