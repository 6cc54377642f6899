import { expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { hostMemory, measuredHost } from '../support/faults/host-memory.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';

/** Bytes. A chat that stays has more than a megabyte; in a short run code that is compiled counts too. */
const allowedPerChat = { host: shortOrLong(200_000, 15_000), lua: 8_000 };

/** Opens a chat and closes it in the middle of a frame of its answer. */
async function openAndClose(rig: HostRig): Promise<void> {
  await rig.nvim.command('AcpNew busy | stopinsert');
  const token = await rig.send([['stream', 4_000]]);
  await rig.waitForText(`${token}-w`);
  await rig.nvim.command('AcpClose');
}

async function memory(rig: HostRig): Promise<{ readonly host: number; readonly lua: number }> {
  const { nvim } = rig;
  await rig.waitForAgentsToEnd();
  await rig.waitUntilIdle();
  const host = await hostMemory(nvim, (await rig.pid())!);
  const lua = await nvim.lua<number>(
    "collectgarbage() collectgarbage() return collectgarbage('count') * 1024",
  );
  return { host, lua };
}

it('chats that are closed while they are drawn leave nothing in memory', {
  timeout: shortOrLong(60_000, 600_000),
}, async ({ start }) => {
  const rig = new HostRig(await start(measuredHost(busyOptions())));
  // Compiled code of Lua is no leak.
  await rig.nvim.lua('jit.off() jit.flush()');
  const count = shortOrLong(15, 400);
  for (let chat = 0; chat < 6; chat += 1) await openAndClose(rig);
  const before = await memory(rig);
  for (let chat = 0; chat < count; chat += 1) await openAndClose(rig);
  let perChat = { host: Infinity, lua: Infinity };
  const isFlat = async () => {
    const after = await memory(rig);
    perChat = { host: (after.host - before.host) / count, lua: (after.lua - before.lua) / count };
    return perChat.host < allowedPerChat.host && perChat.lua < allowedPerChat.lua;
  };
  await rig.nvim.waitFor(isFlat, 'the memory of before', 10_000).catch(() => undefined);
  expect(perChat.host, 'bytes per chat in the host').toBeLessThan(allowedPerChat.host);
  expect(perChat.lua, 'bytes per chat in Lua').toBeLessThan(allowedPerChat.lua);
});
