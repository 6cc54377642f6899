import { describe, expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { memoryOf } from '../support/faults/faulty-chat.ts';
import { HostRig, type Step } from '../support/faults/host-rig.ts';
import { isLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';

const showsEnd = `local word = ...
  local lines = vim.api.nvim_buf_get_lines(require('acp.chats').current().buf, -30, -1, false)
  return vim.iter(lines):any(function(line) return line:find(word, 1, true) ~= nil end)`;

/** The longest time that Neovim took for an answer until the turn was over, in milliseconds. */
async function longestWait({ nvim }: HostRig, token: string): Promise<number> {
  let longest = 0;
  const isOver = async () => {
    const began = performance.now();
    const isShown = await nvim.lua<boolean>(showsEnd, `${token}-end`);
    longest = Math.max(longest, performance.now() - began);
    return isShown;
  };
  await nvim.waitFor(isOver, 'the end of the turn', 250_000);
  return longest;
}

describe.runIf(isLong)('a gigabyte of output', () => {
  // The host keeps what tool calls report, so its memory is limited for the output of commands only.
  it.for<[string, Step, number]>([
    ['a command', ['terminal', 'seq 110000000'], 400],
    ['many tool calls', ['output', 1000, 1], Number.POSITIVE_INFINITY],
  ])(
    'of %s does not make Neovim large or slow',
    { timeout: 300_000 },
    async ([, step, hostMegabytes], { start }) => {
      const rig = new HostRig(await start(busyOptions()));
      await rig.open();
      const host = (await rig.pid())!;
      expect(await longestWait(rig, await rig.send([step]))).toBeLessThan(2_000);
      expect(await rig.pid()).toBe(host);
      expect(memoryOf(host, 'VmHWM')).toBeLessThan(hostMegabytes);
      expect(memoryOf(rig.nvim.pid, 'VmHWM')).toBeLessThan(100);
      await rig.nvim.quit('qa!');
    },
  );
});
