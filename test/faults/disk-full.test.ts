import { describe, expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { versionIn } from '../support/faults/shared-file.ts';
import { canMount, SmallDisk } from '../support/faults/small-disk.ts';
import { it } from '../support/nvim/it.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';

/** Mounts a small file system in a folder of the sandbox before Neovim starts. */
async function onSmallDisk(
  folder: 'state' | 'work',
  kilobytes: number,
  run: (sandbox: Sandbox, disk: SmallDisk) => Promise<void>,
): Promise<void> {
  const sandbox = new Sandbox();
  const disk = new SmallDisk(folder === 'state' ? sandbox.env.XDG_STATE_HOME! : sandbox.cwd, kilobytes);
  try {
    await run(sandbox, disk);
  } finally {
    disk.dispose();
  }
}

describe.skipIf(!canMount())('a disk', () => {
  it('that is full of other things loses nothing of a chat once it has room again', async ({ start }) => {
    await onSmallDisk('state', 2_000, async (sandbox, disk) => {
      const rig = new HostRig(await start(busyOptions({ sandbox })));
      await rig.open();
      await rig.converse([['stream', 20]]);
      disk.fill();
      const token = await rig.converse([['stream', 400, 1], ['plan'], ['calls', 3]]);
      await rig.waitForText("The journal can't be written: ENOSPC");
      await rig.nvim.input('<C-w>bia draft<Esc>');
      disk.free();
      await rig.waitForText('The journal is written again. Nothing is missing.');
      const exits = await rig.exits();
      await rig.nvim.lua('rig.kill_after(0)');
      const { chats } = await rig.recover(exits);
      const [now] = await rig.shown();
      for (const word of chats[0]!.text.match(/\bp\d+-\w+/g) ?? []) expect(now!.text).toContain(word);
      expect(now!.text.match(new RegExp(`${token}-w399 `, 'g'))).toHaveLength(1);
      expect(now!.draft).toBe('a draft');
      await rig.expectNoTrouble();
      await rig.nvim.quit('qa!');
    });
  });

  it('that is full leaves the files of the project whole when an agent writes', async ({ start }) => {
    await onSmallDisk('work', 2_000, async (sandbox, disk) => {
      const rig = new HostRig(await start(busyOptions({ sandbox })));
      await rig.open();
      const written = await rig.converse([
        ['write', 'closed.txt', 1],
        ['write', 'open.txt', 1],
      ]);
      disk.fill();
      const told = await rig.converse([
        ['write', 'closed.txt', 2],
        ['write', 'open.txt', 2],
        ['write', 'new.txt', 2],
      ]);
      await rig.waitForText(`${told}-refused`);
      disk.free();
      expect(await rig.text()).not.toContain(`${written}-refused`);
      await rig.expectWholeFiles();
      await rig.converse([
        ['write', 'closed.txt', 3],
        ['write', 'open.txt', 3],
      ]);
      for (const name of ['closed.txt', 'open.txt']) expect(versionIn(rig.onDisk(name), name)).toBe('3');
      await rig.expectWholeFiles();
      await rig.expectNoTrouble();
      await rig.nvim.quit('qa!');
    });
  });

  it('that can only be read keeps nobody from working', async ({ start }) => {
    await onSmallDisk('state', 500, async (sandbox, disk) => {
      disk.makeReadOnly();
      const rig = new HostRig(await start(busyOptions({ sandbox })));
      await rig.open();
      await rig.converse([
        ['stream', 20],
        ['write', 'open.txt', 1],
        ['write', 'closed.txt', 1],
      ]);
      await rig.waitForText("The journal can't be written");
      await rig.nvim.input('<C-w>bia draft<Esc>');
      await rig.nvim.command('AcpSessions');
      await rig.nvim.command('AcpReview');
      await rig.converse();
      await rig.expectWholeFiles();
      await rig.expectNoTrouble();
      expect(await rig.nvim.quit('qa!')).toMatchObject({ code: 0 });
    });
  });
});
