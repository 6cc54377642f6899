import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { converse, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { expectNoneLeft } from '../support/system/processes.ts';

const stockHost = path.join(repoRoot, 'node_modules', 'neovim', 'bin', 'cli.js');
const settings = `
vim.g.node_host_prog = '${stockHost}'
vim.g.acp = { host = 'shared', agents = { tour = { env = { ACP_TOUR_PACE = '0' } } } }`;

type Start = (options?: NvimOptions) => Promise<TestNvim>;

/** Writes the manifest as a user does once, and starts a Neovim that finds it. */
async function startRegistered(start: Start): Promise<TestNvim> {
  const manifest = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-manifest-')), 'rplugin.vim');
  onTestFinished(() => fs.rmSync(path.dirname(manifest), { recursive: true }));
  const options = { init: settings, env: { NVIM_RPLUGIN_MANIFEST: manifest }, isClean: false };
  const first = await start(options);
  await first.command('UpdateRemotePlugins');
  const registered = [...fs.readFileSync(manifest, 'utf8').matchAll(/'name': '(\w+)'/g)].map(
    ([, name]) => name,
  );
  expect(registered).toEqual(['AcpNotify']);
  await first.quit();
  return start(options);
}

describe('host = "shared"', () => {
  it('runs the plugin in the host of Neovim, which registers one function', async ({ start }) => {
    const nvim = await startRegistered(start);
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await converse(nvim, 'markdown');
    expect(await transcript(nvim)).toContain('Tour');
    await nvim.quit('qa');
    await expectNoneLeft(nvim.sandbox.marker);
  });

  it('leaves no agent running when the host of Neovim is killed', async ({ start }) => {
    const nvim = await startRegistered(start);
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    const pid = await nvim.lua<number>("return require('acp.host').request('host.status', {}).pid");
    process.kill(pid, 'SIGKILL');
    await nvim.quit('qa');
    await expectNoneLeft(nvim.sandbox.marker);
  });

  it('is to be restarted with Neovim when it does not answer', async ({ start }) => {
    const nvim = await startRegistered(start);
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    const pid = await nvim.lua<number>("return require('acp.host').request('host.status', {}).pid");
    process.kill(pid, 'SIGSTOP');
    await nvim.input(':AcpCancel<CR>');
    const messages = () => nvim.messages();
    await nvim.waitFor(async () => (await messages()).includes('does not answer'), 'the warning');
    process.kill(pid, 'SIGCONT');
    expect((await messages()).replaceAll('\n', ' ')).toContain(
      'the host does not answer; restart Neovim, which keeps your prompts',
    );
  });

  it('tells the user to run :UpdateRemotePlugins when it was never registered', async ({ start }) => {
    const nvim = await start({ init: settings, columns: 120 });
    await nvim.input(':AcpChat tour<CR>');
    await nvim.waitForScreen('needs :UpdateRemotePlugins and a restart of Neovim');
  });
});
