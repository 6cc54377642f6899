import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { quickTour, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { answerImmediately, readWholePrompts } from '../support/nvim/user.ts';
import { aWebServer } from '../support/system/http.ts';
import { aTarball } from '../support/system/tarball.ts';

const systems: Record<string, string> = { win32: 'windows', arm64: 'aarch64', x64: 'x86_64' };
const system = `${systems[process.platform] ?? process.platform}-${systems[process.arch] ?? process.arch}`;

/** Chooses the items with these beginnings, one per picker; closes a picker without a match. */
const choose = (...beginnings: string[]) => `${answerImmediately}${readWholePrompts}
_G.seen, _G.prompts = {}, {}
local wanted = { ${beginnings.map((text) => `'${text}'`).join(', ')} }
vim.ui.select = function(items, options, on_choice)
  local beginning = table.remove(wanted, 1)
  table.insert(_G.prompts, options.prompt)
  table.insert(_G.seen, vim.tbl_map(options.format_item, items))
  for _, item in ipairs(items) do
    if beginning and vim.startswith(options.format_item(item), beginning) then
      return on_choice(item)
    end
  end
  on_choice(nil)
end`;

const seen = (nvim: TestNvim) => nvim.lua<string[][]>('return _G.seen');
const prompts = (nvim: TestNvim) => nvim.lua<string[]>('return _G.prompts');
const currentAgent = (nvim: TestNvim) =>
  nvim.lua<string | null>(
    "local chat = require('acp.chats').current() return chat and chat.agent or vim.NIL",
  );

function aManifest(id: string, distribution: object, version = '1.0.0') {
  return { id, name: 'Acme', version, description: 'An agent.', distribution };
}

const registry = (...agents: object[]) => JSON.stringify({ version: '1.0.0', agents });

/** A registry with an agent in an archive: a script that starts the tour. */
async function anArchive() {
  const tour = path.join(repoRoot, 'dist', 'tour.js');
  const body = await aTarball({ 'bin/agent': `#!/bin/sh\nexec node '${tour}' "$@"\n` });
  const server = await aWebServer(() => ({ body }));
  const target = { archive: `${server.url}/a.tgz`, cmd: 'bin/agent', env: { ACP_TOUR_PACE: '0' } };
  return { server, text: registry(aManifest('acme', { binary: { [system]: target } })) };
}

type Start = (options?: NvimOptions) => Promise<TestNvim>;

async function startWith(
  start: Start,
  text: string,
  init: string,
  options: NvimOptions = {},
): Promise<TestNvim> {
  const nvim = await start({
    columns: 160,
    ...options,
    files: { 'registry.json': text },
    init: `${quickTour}
      vim.g.acp = vim.tbl_extend('force', vim.g.acp, { registry = vim.fn.getcwd() .. '/registry.json' })
      ${init}`,
  });
  await nvim.attachHost();
  return nvim;
}

describe(':AcpAgents', () => {
  it('lists the built-in agents without a registry, and opens a chat with the chosen one', async ({
    start,
  }) => {
    const init = `${quickTour}\n${choose('tour')}\nvim.g.acp = vim.tbl_deep_extend('force', vim.g.acp, { agents = { mine = { command = { 'sh' } } } })`;
    const nvim = await start({ init });
    await nvim.attachHost();
    await nvim.command('AcpAgents');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    const [labels = []] = await seen(nvim);
    expect(labels).toContain('mine         installed');
    expect(labels).toContain('tour         installed');
    expect(labels).toContain('opencode     not installed: npm install -g opencode-ai');
    expect(await currentAgent(nvim)).toBe('tour');
  });

  it('installs an agent of the registry after consent and starts it, from then on by its name', async ({
    start,
  }) => {
    const { server, text } = await anArchive();
    const nvim = await startWith(start, text, choose('acme', 'Run it'));
    await nvim.command('AcpAgents');
    await waitForPhase(nvim, 'idle');
    const [labels = [], answers] = await seen(nvim);
    expect(labels).toContain('acme         from the registry, 1.0.0, asks before installing');
    expect(answers).toEqual(['Run it', 'Cancel']);
    const folder = path.join(nvim.sandbox.env.XDG_CACHE_HOME ?? '', 'nvim/acp/agents/acme/1.0.0');
    expect((await prompts(nvim))[1]).toContain(`will download ${server.url}/a.tgz to ${folder} and run `);
    expect(await currentAgent(nvim)).toBe('acme');
    expect(fs.existsSync(path.join(folder, 'bin/agent'))).toBe(true);
    expect(await nvim.lua("return vim.fn.getcompletion('AcpChat ac', 'cmdline')")).toEqual(['acme']);

    const { XDG_CACHE_HOME = '', XDG_STATE_HOME = '' } = nvim.sandbox.env;
    const again = `vim.g.acp = vim.tbl_extend('force', vim.g.acp, { registry = '${nvim.sandbox.path('registry.json')}' })\n${choose()}`;
    await nvim.quit();
    const second = await start({ init: `${quickTour}\n${again}`, env: { XDG_CACHE_HOME, XDG_STATE_HOME } });
    expect(await second.lua("return require('acp.agents').default()")).toBe('acme');
    expect(
      await second.lua("return require('acp.agents.registry').state(require('acp.agents').find('acme'))"),
    ).toBe('from the registry, 1.0.0, ready');
    expect(await seen(second)).toEqual([]);
  });

  it.for([['Cancel'], []] as const)('does nothing without consent: %j', async (answer, { start }) => {
    const { server, text } = await anArchive();
    const nvim = await startWith(start, text, choose('acme', ...answer));
    await nvim.command('AcpAgents');
    await nvim.waitFor(async () => (await seen(nvim)).length === 2, 'the question');
    expect(await currentAgent(nvim)).toBeNull();
    expect(server.asked).toEqual([]);
    expect(fs.existsSync(path.join(nvim.sandbox.env.XDG_CACHE_HOME ?? '', 'nvim/acp/agents'))).toBe(false);
  });

  it('keeps a prompt for an agent until the user has consented to install it', async ({ start }) => {
    const { text } = await anArchive();
    const nvim = await startWith(start, text, choose('nothing', 'Run it'));
    await nvim.command('AcpAgents');
    await nvim.waitFor(async () => (await seen(nvim)).length === 1, 'the agents');
    await nvim.lua("require('acp.config').get().agent = 'acme'");
    await nvim.command('AcpSend hello');
    await nvim.waitForScreen('hello');
    await waitForPhase(nvim, 'idle');
    expect(await currentAgent(nvim)).toBe('acme');
  });

  it('reports an unreadable registry and offers the other agents', async ({ start }) => {
    const nvim = await startWith(start, 'no registry', choose());
    await nvim.command('AcpAgents');
    await nvim.waitFor(async () => (await seen(nvim)).length === 1, 'the agents');
    expect(await nvim.messages()).toMatch(/could not read the registry .*: not a registry: it is not JSON/s);
  });
});

describe('a built-in agent that is also in the registry', () => {
  const npx = { npx: { package: 'opencode-ai@9.9.9', args: ['acp'], env: { A: 'registry' } } };
  const text = registry(aManifest('opencode', npx), aManifest('other-name', npx));
  const localPath = "vim.env.PATH = vim.fn.getcwd() .. ':' .. vim.env.PATH";
  const find = (nvim: TestNvim, name: string) =>
    nvim.lua<Record<string, unknown>>("return require('acp.agents').find(...)", name);

  async function readRegistry(start: Start, init = ''): Promise<TestNvim> {
    const nvim = await startWith(start, text, `${localPath}\n${choose()}\n${init}`);
    await nvim.command('AcpAgents');
    await nvim.waitFor(async () => (await seen(nvim)).length === 1, 'the agents');
    return nvim;
  }

  it('comes from the registry while it is not installed, and never becomes the default', async ({
    start,
  }) => {
    const nvim = await readRegistry(start);
    expect(await find(nvim, 'opencode')).toMatchObject({
      command: ['npx', '-y', 'opencode-ai@9.9.9', 'acp'],
      login: expect.stringContaining('opencode auth login'),
      registry: { version: '1.0.0', is_allowed: false },
    });
    expect(await nvim.lua("return require('acp.agents').default()")).toBe('tour');
    await nvim.command('checkhealth acp');
    await nvim.waitFor(
      async () =>
        (await nvim.lines()).some((line) => /opencode: from the registry, 1\.0\.0, asks/.test(line)),
      'the report',
    );
  });

  it('is the installed program, also under another name', async ({ start }) => {
    const nvim = await readRegistry(start);
    fs.writeFileSync(nvim.sandbox.path('opencode'), '', { mode: 0o755 });
    for (const name of ['opencode', 'other-name']) {
      const agent = await find(nvim, name);
      expect(agent).toMatchObject({ name, command: ['opencode', 'acp'] });
      expect(agent.registry).toBeUndefined();
    }
  });

  it('is the one that the user configured', async ({ start }) => {
    const options = `vim.g.acp = vim.tbl_extend('force', vim.g.acp, { agents = {
      opencode = { command = { 'my-opencode' } }, ['other-name'] = { env = { A = 'mine' } },
    } })`;
    const nvim = await readRegistry(start, options);
    expect(await find(nvim, 'opencode')).toMatchObject({ command: ['my-opencode'] });
    expect(await find(nvim, 'other-name')).toMatchObject({
      command: ['npx', '-y', 'opencode-ai@9.9.9', 'acp'],
      env: { A: 'mine' },
    });
  });
});
