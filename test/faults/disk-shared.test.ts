import { expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { aSharedFile, versionIn } from '../support/faults/shared-file.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';

/** Options for a second Neovim in the project and with the files of the first. */
function beside(first: Sandbox): NvimOptions {
  const own = new Sandbox();
  const { init, env, ...options } = busyOptions({ sandbox: own });
  const folders = ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'];
  const shared = Object.fromEntries(folders.map((name) => [name, first.env[name]!]));
  return { ...options, env: { ...env, ...shared }, init: `${init}\nvim.cmd.cd('${first.cwd}')` };
}

it('two Neovims in one project keep their chats, drafts and files apart', { timeout: 60_000 }, async ({
  start,
}) => {
  const options = busyOptions();
  const first = new HostRig(await start(options));
  options.sandbox.write({ 'second.txt': aSharedFile(0, '') });
  const second = new HostRig(await start(beside(options.sandbox)));
  await first.open();
  await second.nvim.command('AcpChat busy');
  await second.nvim.input('<Esc>');
  await second.waitUntilIdle();
  await first.nvim.input('<C-w>bidraft of the first<Esc>');
  await second.nvim.input('<C-w>bidraft of the second<Esc>');
  const [one] = await Promise.all([
    first.send([['stream', 100, 1], ['write', 'open.txt', 1], ['hang']]),
    second.send([
      ['stream', 100, 1],
      ['write', 'second.txt', 1],
      ['write', 'closed.txt', 1],
    ]),
  ]);
  await second.waitForText('p0-end');
  await first.waitForText(`${one}-w99`);
  const exits = await second.exits();
  await second.nvim.lua('rig.kill_after(0)');
  await second.recover(exits);
  await second.waitForText('p0-end');
  expect((await second.shown())[0]?.draft).toBe('draft of the second');
  await first.nvim.command('AcpCancel');
  await first.waitUntilIdle();
  expect((await first.shown())[0]?.draft).toBe('draft of the first');
  expect(await first.exits(), 'the other host runs on').toBe(0);
  expect(await first.text()).not.toContain('second.txt');
  expect(versionIn(first.onDisk('second.txt'), 'second.txt')).toBe('1');
  await first.nvim.waitFor(() => versionIn(first.onDisk('closed.txt'), 'closed.txt') === '1', 'closed.txt');
  for (const rig of [first, second]) {
    await rig.converse();
    await rig.expectNoTrouble();
    await rig.nvim.quit('qa!');
  }
});
