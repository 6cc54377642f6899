import { expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { it } from '../support/nvim/it.ts';

/** Kills the host instead of taking note that it has accepted a prompt. */
const killAtAcceptance = `
local operations = require('acp.operations')
local receive = operations.receive
operations.receive = function(name, ...)
  if name ~= 'prompt.accepted' then return receive(name, ...) end
  operations.receive = receive
  rig.kill_after(0)
  return { ok = true }
end`;

/** The same, and kills the next host as soon as it runs. */
const killTwice = `${killAtAcceptance}
local is_first = true
require('acp.host').on('exit', function()
  if is_first then
    is_first = false
    require('acp').send('sent to the second host')
    vim.uv.kill(rig.pid(), 'sigkill')
  end
end)`;

/** Kills the host when it has accepted a prompt, and the next one when it has first told of its queue. */
const killAtFirstState = `
local operations = require('acp.operations')
local receive = operations.receive
local first_pid = rig.pid()
operations.receive = function(name, ...)
  if name == 'prompt.accepted' then
    vim.uv.kill(first_pid, 'sigkill')
    return { ok = true }
  end
  if name == 'prompt.state' and rig.pid() ~= first_pid then
    operations.receive = receive
    vim.uv.kill(rig.pid(), 'sigkill')
  end
  return receive(name, ...)
end`;

async function aBusyRig(nvim: HostRig['nvim']): Promise<HostRig> {
  const rig = new HostRig(nvim);
  await rig.open();
  await rig.send([['stream', 1], ['hang']]);
  // The agent has it.
  await rig.waitForText('p0-w0');
  return rig;
}

it('prompts that two hosts in a row have not accepted come back once, and none of them is sent', async ({
  start,
}) => {
  const rig = await aBusyRig(await start(busyOptions()));
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

/** Stops the turn and restarts the host while Neovim is busy, so that it never hears that its prompts came back. */
const restartWhileBusy = `
local chat = require('acp.chats').current()
require('acp').cancel()
local function is_cleared()
  return table.concat(vim.fn.readfile(chat.journal), '\\n'):find('queue_cleared', 1, true)
end
while not is_cleared() do vim.uv.sleep(5) end
chat.prompt_state.is_of_first_host = true
vim.cmd('AcpRestart!')`;

const isOfSecondHost = "return not require('acp.chats').current().prompt_state.is_of_first_host";

it('a prompt that a host gives back while Neovim is busy is not lost with the host', async ({ start }) => {
  const never =
    "vim.g.acp = vim.tbl_deep_extend('force', vim.g.acp, { agents = { never = { command = { 'sleep', '600' } } } })";
  const rig = new HostRig(await start(busyOptions({ init: never })));
  await rig.nvim.command('AcpChat never');
  await rig.nvim.lua("require('acp').send('keep me')");
  await rig.nvim.waitForScreen('1 queued');
  await rig.nvim.lua(restartWhileBusy);
  await rig.nvim.waitFor(() => rig.nvim.lua(isOfSecondHost), 'the queue of the second host');
  const [chat] = await rig.shown();
  expect(chat).toMatchObject({ queue: 'keep me', draft: '' });
  await rig.nvim.quit('qa!');
});

it('a prompt that came back is not queued too if the next host is killed at once', async ({ start }) => {
  const rig = await aBusyRig(await start(busyOptions()));
  await rig.nvim.lua(killAtFirstState);
  const exits = await rig.exits();
  await rig.nvim.lua("require('acp').send('sent once')");
  await rig.recover(exits + 1);
  const [chat] = await rig.shown();
  expect(chat).toMatchObject({ queue: '', draft: expect.stringMatching(/^sent once\n*$/) });
  await rig.nvim.quit('qa!');
});

/** Kills the host when it has accepted a prompt, and closes the chat at once. */
const closeAtExit = `${killAtAcceptance}
require('acp.host').on('exit', function()
  require('acp.lifecycle').close(require('acp.chats').current())
end)`;

it('a prompt that came back is not in the queue of the chat that continues the session', async ({
  start,
}) => {
  const rig = await aBusyRig(await start(busyOptions()));
  await rig.nvim.lua(closeAtExit);
  await rig.nvim.lua("require('acp').send('sent once')");
  await rig.nvim.waitFor(async () => (await rig.shown()).length === 0, 'the chat to be closed');
  await rig.nvim.lua('rig.takes = 1');
  await rig.nvim.command('AcpSessions');
  await rig.nvim.waitFor(
    async () => (await rig.shown())[0]?.draft.includes('sent once') ?? false,
    'the draft',
  );
  await rig.waitUntilIdle();
  expect((await rig.shown())[0]).toMatchObject({ queue: '', draft: expect.stringMatching(/^sent once\n*$/) });
  await rig.nvim.quit('qa!');
});

/** Kills the host when it first tells of the chat that continues a session: it has begun to copy what belongs to that. */
const killAtContinuing = `
local operations = require('acp.operations')
local receive = operations.receive
operations.receive = function(name, ...)
  if name == 'prompt.state' then
    operations.receive = receive
    vim.uv.kill(rig.pid(), 'sigkill')
  end
  return receive(name, ...)
end`;

it('the changes of a session can be reviewed if the host is killed when a chat continues it', async ({
  start,
}) => {
  const rig = new HostRig(await start(busyOptions()));
  await rig.open();
  await rig.converse([['write', 'closed.txt', 7]]);
  await rig.nvim.command('AcpClose');
  const exits = await rig.exits();
  await rig.nvim.lua(killAtContinuing);
  await rig.nvim.lua('rig.takes = 1');
  await rig.nvim.command('AcpSessions');
  await rig.recover(exits);
  await rig.waitForText('p0 ');
  await rig.nvim.command('AcpReview');
  const review = "return require('acp.chats').current().review ~= nil";
  await rig.nvim.waitFor(() => rig.nvim.lua(review), 'the review');
  await rig.nvim.quit('qa!');
});
