import { expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { it } from '../support/nvim/it.ts';

/** Kills the host instead of taking note that it has accepted a prompt, and the next one as soon as it runs. */
const killTwice = `
local operations = require('acp.operations')
local receive = operations.receive
operations.receive = function(name, ...)
  if name ~= 'prompt.accepted' then return receive(name, ...) end
  operations.receive = receive
  rig.kill_after(0)
  return { ok = true }
end
local is_first = true
require('acp.host').on('exit', function()
  if is_first then
    is_first = false
    require('acp').send('sent to the second host')
    vim.uv.kill(rig.pid(), 'sigkill')
  end
end)`;

it('prompts that two hosts in a row have not accepted come back once, and none of them is sent', async ({
  start,
}) => {
  const rig = new HostRig(await start(busyOptions()));
  await rig.open();
  await rig.send([['hang']]);
  await rig.waitForText('p0 ');
  await rig.nvim.lua(killTwice);
  const exits = await rig.exits();
  await rig.nvim.lua("require('acp').send('sent to the first host')");
  await rig.recover(exits + 1);
  const [chat] = await rig.shown();
  expect(chat!.queue).toBe('');
  expect(chat!.text).not.toContain('sent to the');
  for (const text of ['sent to the first host', 'sent to the second host']) {
    expect(chat!.draft.split(text), chat!.draft).toHaveLength(2);
  }
  await rig.nvim.quit('qa!');
});
