import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { quickTour, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';
import { expectNoneLeft } from '../support/system/processes.ts';
import { waitFor } from '../support/wait.ts';

const chooseFirst = `
vim.ui.select = function(items, _, on_choice)
  vim.schedule(function() on_choice(items[1], 1) end)
end`;

const hostPid = (nvim: TestNvim) =>
  nvim.lua<number>("return require('acp.host').request('host.status', {}).pid");

async function killBoth(nvim: TestNvim): Promise<void> {
  const host = await hostPid(nvim);
  for (const pid of [nvim.pid, host]) process.kill(pid, 'SIGKILL');
  await nvim.exited;
}

/** Neovim with a prompt that the agent has got and will not answer to its end. */
async function startAnswering(
  start: (options: object) => Promise<TestNvim>,
  sandbox: Sandbox,
): Promise<TestNvim> {
  const nvim = await start({ sandbox, init: quickTour, columns: 160 });
  await nvim.command('AcpChat tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  await nvim.command('AcpSend hang');
  await waitForPhase(nvim, 'running');
  const isSent = "return require('acp.chats').current().prompt_state.unsent == nil";
  await nvim.waitFor(() => nvim.lua<boolean>(isSent), 'the agent to get the prompt');
  return nvim;
}

/** Opens the newest session, and returns what it says about the end of its last answer. */
async function reopen(
  start: (options: object) => Promise<TestNvim>,
  sandbox: Sandbox,
): Promise<readonly string[]> {
  const nvim = await start({ sandbox, init: `${quickTour}\n${chooseFirst}`, columns: 160 });
  await nvim.command('AcpSessions');
  await nvim.waitFor(async () => (await transcript(nvim)).includes('hang'), 'the conversation');
  await waitForPhase(nvim, 'idle');
  const lines = await transcript(nvim);
  await nvim.quit('qa!');
  return lines.filter((line) => /Neovim ended|complete|:AcpRetry|Stopped/.test(line));
}

describe('an answer that was cut off', () => {
  it.for<[string, (nvim: TestNvim) => unknown]>([
    ['Neovim', (nvim) => process.kill(nvim.pid, 'SIGKILL')],
    ['Neovim and the host', killBoth],
  ])('by the end of %s says so once, and names :AcpRetry', async ([, end], { start }) => {
    const sandbox = new Sandbox();
    const nvim = await startAnswering(start, sandbox);
    await end(nvim);
    await nvim.exited;
    await expectNoneLeft(sandbox.marker);
    const said = [
      expect.stringContaining('Neovim ended before this answer was complete.'),
      expect.stringContaining(':AcpRetry sends the prompt again.'),
    ];
    expect(await reopen(start, sandbox)).toEqual(said);
    expect(await reopen(start, sandbox), 'opened again').toEqual(said);
  });

  it('by :qa says only that it was stopped', async ({ start }) => {
    const sandbox = new Sandbox();
    const nvim = await startAnswering(start, sandbox);
    await nvim.quit('qa!');
    expect(await reopen(start, sandbox)).toEqual([expect.stringContaining('Stopped.')]);
  });

  it('by the end of the host says so, and :AcpRetry sends the prompt again', async ({ start }) => {
    const nvim = await startAnswering(start, new Sandbox());
    process.kill(await hostPid(nvim), 'SIGKILL');
    const said = 'The host process of acp.nvim was restarted before this answer was complete.';
    await nvim.waitFor(async () => (await transcript(nvim)).includes(`! ${said}`), said);
    expect(await transcript(nvim)).toContain('  :AcpRetry sends the prompt again.');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpRetry');
    const isSentAgain = async () => (await transcript(nvim)).filter((line) => line === 'hang').length === 2;
    await nvim.waitFor(isSentAgain, 'the prompt in the chat again');
    await waitForPhase(nvim, 'running');
  });
});

/** The files below a folder. */
function filesIn(folder: string): readonly string[] {
  if (!fs.existsSync(folder)) return [];
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

describe('a private session', () => {
  const options = (sandbox: Sandbox) => ({
    sandbox,
    init: `${quickTour}\nvim.g.acp = vim.tbl_extend('force', vim.g.acp, { private = true })`,
    files: { 'secret.txt': 'the canary' },
  });

  it.for<[string, (nvim: TestNvim) => unknown]>([
    ['Neovim and the host are killed at once', killBoth],
    ['Neovim is killed', (nvim) => process.kill(nvim.pid, 'SIGKILL')],
  ])('leaves nothing when %s', async ([, end], { start }) => {
    const sandbox = new Sandbox();
    const nvim = await start(options(sandbox));
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    const folder = await nvim.lua<string>("return vim.fs.dirname(require('acp.chats').current().journal)");
    await nvim.command('AcpSend hello');
    await nvim.waitFor(() => filesIn(folder).length > 0, 'the checkpoint');
    await end(nvim);
    await nvim.exited;
    await expectNoneLeft(sandbox.marker);
    await waitFor(() => filesIn(folder).length === 0, {
      describe: () => `left: ${filesIn(folder).join(', ')}`,
    });
  });

  it('can be reviewed after the host was killed alone', async ({ start }) => {
    const sandbox = new Sandbox();
    const nvim = await start(options(sandbox));
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    const folder = await nvim.lua<string>("return vim.fs.dirname(require('acp.chats').current().journal)");
    await nvim.command('AcpSend hello');
    await nvim.waitFor(() => filesIn(folder).some((file) => file.endsWith('state.json')), 'the state');
    const host = await hostPid(nvim);
    process.kill(host, 'SIGKILL');
    await nvim.waitFor(async () => (await hostPid(nvim)) !== host, 'the next host');
    await waitForPhase(nvim, 'idle');
    expect(filesIn(folder).some((file) => file.endsWith('state.json'))).toBe(true);
    await nvim.quit('qa!');
  });
});
