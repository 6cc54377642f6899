import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { quickTour, startChat, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

/** Programs can be put into the working directory. */
const localPath = "vim.env.PATH = vim.fn.getcwd() .. ':' .. vim.env.PATH";

function install(nvim: TestNvim, ...names: string[]): void {
  for (const name of names) fs.writeFileSync(nvim.sandbox.path(name), '#!/bin/sh\n', { mode: 0o755 });
}

const defaultAgent = (nvim: TestNvim) => nvim.lua<string>("return require('acp.agents').default()");
const find = (nvim: TestNvim, name: string) =>
  nvim.lua<Record<string, unknown>>("return require('acp.agents').find(...)", name);

describe(':AcpAgents', () => {
  it('installs a missing agent in a terminal, after showing the command', async ({ start }) => {
    const nvim = await start({ init: localPath, columns: 160 });
    const npm = nvim.sandbox.path('npm');
    const says =
      "#!/bin/sh\necho '{}' >> npm-ran; printf '#!/bin/sh\\nsleep 100\\n' > cline; chmod +x cline\n";
    fs.writeFileSync(npm, says, { mode: 0o755 });
    const pickCline = `
      local select = vim.ui.select
      vim.ui.select = function(items, options, choose)
        vim.ui.select = select
        for index, item in ipairs(items) do if item.name == 'cline' then choose(item, index) end end
      end
      vim.cmd.AcpAgents()`;
    await nvim.lua(`vim.schedule(function() ${pickCline} end)`);
    await nvim.waitForScreen('cline is not installed. Install it: npm install -g cline');
    await nvim.input('2<CR>');
    await nvim.waitForScreen((text) => !text.includes('is not installed'), 'no question');
    await nvim.lua(`vim.schedule(function() ${pickCline} end)`);
    await nvim.waitForScreen('cline is not installed. Install it: npm install -g cline');
    expect(fs.existsSync(nvim.sandbox.path('npm-ran'))).toBe(false);
    await nvim.input('1<CR>');
    await nvim.waitForScreen(/cline .*starting/);
    expect(fs.existsSync(nvim.sandbox.path('cline'))).toBe(true);
  });
});

describe('an agent that needs a newer Node', () => {
  const oldNode = (nvim: TestNvim, version = 'v20.1.0') =>
    fs.writeFileSync(nvim.sandbox.path('node'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  const labels = (nvim: TestNvim) =>
    nvim.lua<string[]>(`
      local labels
      vim.ui.select = function(items, options) labels = vim.tbl_map(options.format_item, items) end
      require('acp.commands.agents').pick()
      return labels`);
  const report = async (nvim: TestNvim) =>
    (await nvim.lua<string[]>("return require('acp.health').lines()")).join('\n');

  it('says so in the list, in the report of the health, and before it is installed', async ({ start }) => {
    const nvim = await start({ init: localPath, columns: 200 });
    oldNode(nvim);
    install(nvim, 'npm', 'qwen');
    const listed = await labels(nvim);
    const node = nvim.sandbox.path('node');
    const problem = (name: string, needed: string) =>
      `the current releases of ${name} need Node ${needed} or newer, and ${node} is 20.1.0`;
    expect(listed.find((label) => label.startsWith('claude'))).toContain(problem('claude', '22'));
    expect(listed.find((label) => label.startsWith('kimi'))).toContain(problem('kimi', '22.19'));
    expect(listed.filter((label) => label.includes('need Node'))).toHaveLength(3);
    const health = await report(nvim);
    expect(health).toContain(`WARNING ${problem('qwen', '22')}`);
    expect(health).toContain(problem('claude', '22'));
    expect(health).toContain(
      'Install Node 22 or newer, then run "npm install -g @qwen-code/qwen-code" with it.',
    );
    await nvim.lua(`
      vim.ui.select = function(items, options, choose)
        if options.kind ~= 'acp.agent' then _G.asked = options.prompt return end
        for index, item in ipairs(items) do if item.name == 'kimi' then choose(item, index) end end
      end
      require('acp.commands.agents').pick()`);
    expect(await nvim.lua('return _G.asked')).toContain(
      `kimi is not installed (but ${problem('kimi', '22.19')}). Install it`,
    );
  });

  it.for([
    ['a new one', 'v22.19.0', ''],
    [
      'a command of the user',
      'v20.1.0',
      "agents = { claude = { command = 'x' }, qwen = { command = 'x' }, kimi = { command = 'x' } }",
    ],
  ] as const)('says nothing with %s', async ([, version, config], { start }) => {
    const nvim = await start({ init: `${localPath}\nvim.g.acp = { ${config} }` });
    oldNode(nvim, version);
    expect((await labels(nvim)).filter((label) => label.includes('need Node'))).toEqual([]);
  });

  it('runs on the Node of its own PATH', async ({ start }) => {
    const nvim = await start({ init: localPath });
    oldNode(nvim);
    const problem = await nvim.lua<string | null>(
      "return require('acp.agents.node').problem({ name = 'x', node = '1', env = { PATH = '/nowhere' } })",
    );
    expect(problem).toContain('there is no node on PATH');
  });
});

describe('the default agent', () => {
  it('is the option, else the last used, else the first on PATH, else the tour', async ({ start }) => {
    const nvim = await start({ init: localPath });
    expect(await defaultAgent(nvim)).toBe('tour');
    install(nvim, 'opencode', 'codex-acp');
    expect(await defaultAgent(nvim)).toBe('codex');
    await nvim.lua("require('acp.agents').remember('opencode')");
    expect(await defaultAgent(nvim)).toBe('opencode');
    const mode = "return vim.fn.getfperm(vim.fn.stdpath('state') .. '/acp/last-agent')";
    expect(await nvim.lua(mode)).toBe('rw-------');
    await nvim.lua("require('acp').setup({ agent = 'kilo' })");
    expect(await defaultAgent(nvim)).toBe('kilo');
  });

  it.for([
    ['is not installed any more', 'goose'],
    ['is known no more', 'stranger'],
    ['was only the tour', 'tour'],
  ] as const)('is not the last used one if that %s', async ([, name], { start }) => {
    const nvim = await start({ init: localPath });
    install(nvim, 'kimi');
    await nvim.lua("require('acp.agents').remember(...)", name);
    expect(await defaultAgent(nvim)).toBe('kimi');
  });

  it('is the one used last in an earlier Neovim', async ({ start }) => {
    const config = `{ agents = {
      another = { command = { 'sh' } },
      mine = { command = { 'node', require('acp.paths').root .. '/dist/tour.js' }, env = { ACP_TOUR_PACE = '0' } },
    } }`;
    const first = await startChat(start, { agent: 'mine', config });
    await first.quit();
    const second = await start({
      init: `${quickTour}\nvim.g.acp = vim.tbl_deep_extend('force', vim.g.acp, ${config})`,
      env: { XDG_STATE_HOME: first.sandbox.env.XDG_STATE_HOME ?? '' },
    });
    await second.attachHost();
    await second.command('AcpChat');
    await second.input('<Esc>');
    await waitForPhase(second, 'idle');
    expect(await second.lua("return require('acp.chats').current().agent")).toBe('mine');
  });
});

describe('built-in agents', () => {
  it('all have a hint for installing and for logging in', async ({ nvim }) => {
    const lacking = `
      return vim.tbl_filter(function(agent)
        return not (agent.install and agent.login and type(agent.command) == 'table')
      end, require('acp.agents.presets'))`;
    expect(await nvim.lua(lacking)).toEqual([]);
  });

  it('are started by their older command if only that is installed', async ({ start }) => {
    const nvim = await start({ init: localPath });
    install(nvim, 'claude-code-acp');
    expect((await find(nvim, 'claude')).command).toEqual(['claude-code-acp']);
    install(nvim, 'claude-agent-acp');
    expect((await find(nvim, 'claude')).command).toEqual(['claude-agent-acp']);
    fs.rmSync(nvim.sandbox.path('claude-agent-acp'));
    await nvim.lua("require('acp').setup({ agents = { claude = { command = { 'my-claude' } } } })");
    expect((await find(nvim, 'claude')).command).toEqual(['my-claude']);
  });
});
