import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { converse, promptText, quickTour, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';
import { hasGit, makeRepository } from '../support/system/git.ts';
import { descendants, expectNoneLeft, isAlive, processesWith } from '../support/system/processes.ts';
import { waitFor } from '../support/wait.ts';

/** An agent behind a shell that keeps its signals to itself and ignores the end of its input. */
const wrapped = `
local tour = { 'node', require('acp.paths').root .. '/dist/tour.js' }
vim.g.acp = { agents = {
  tour = { env = { ACP_TOUR_PACE = '0' } },
  wrapped = { command = { 'sh', '-c', 'trap "" TERM HUP INT; exec 3<&0; "$@" <&3 & wait; sleep 1000', 'sh', unpack(tour) } },
} }`;

/** A fixture of the agent lane as an agent of the plugin. */
function fixture(name: string, ...args: readonly string[]): string {
  const file = path.resolve(import.meta.dirname, '../fixtures/agents', name);
  const command = ['node', file, ...args].map((word) => `'${word}'`).join(', ');
  return `vim.g.acp = { agents = { fixture = { command = { ${command} } } } }`;
}

async function openFixture(nvim: TestNvim): Promise<void> {
  await nvim.command('AcpChat fixture');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
}

async function hostPid(nvim: TestNvim): Promise<number> {
  return nvim.lua("return require('acp.host').request('host.status', {}).pid");
}

/** Kills the host until it is not started again. */
async function killHosts(nvim: TestNvim): Promise<void> {
  for (let times = 0; times < 4; times += 1) {
    const pid = await nvim.waitFor(() => hostPid(nvim), 'a host');
    process.kill(pid, 'SIGKILL');
    await nvim.waitFor(
      async () => !isAlive(pid) && (times === 3 || (await hostPid(nvim)) !== pid),
      'the next host',
    );
  }
}

async function openTour(nvim: TestNvim): Promise<void> {
  await nvim.command('AcpChat tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
}

/** Starts a turn that does not end, and waits until the agent has the prompt. */
async function sendHang(nvim: TestNvim): Promise<void> {
  await nvim.command('AcpSend hang');
  await waitForPhase(nvim, 'running');
  const isSent = "return require('acp.chats').current().prompt_state.unsent == nil";
  await nvim.waitFor(() => nvim.lua<boolean>(isSent), 'the agent to get the prompt');
}

describe('Neovim with its own host process', () => {
  it('shows the answer to a prompt in :AcpChat', async ({ start }) => {
    const nvim = await start({ init: quickTour });
    await openTour(nvim);
    await converse(nvim, 'hello');
    expect(await transcript(nvim)).toContain('Tour');
  });

  it('starts no process before the first command', async ({ start }) => {
    const nvim = await start({ init: quickTour });
    const loaded =
      "return vim.tbl_filter(function(name) return vim.startswith(name, 'acp') end, vim.tbl_keys(package.loaded))";
    expect(await nvim.lua(loaded)).toEqual([]);
    expect(descendants(nvim.pid)).toEqual([]);
  });

  it('starts the host before :AcpChat returns, and loads the language client of Neovim after it', async ({
    start,
  }) => {
    const nvim = await start({ init: quickTour });
    const found = await nvim.lua(`
      vim.cmd('AcpChat tour')
      return { isStarted = require('acp.host').is_running(), hasClient = package.loaded['vim.lsp'] ~= nil }`);
    expect(found).toEqual({ isStarted: true, hasClient: false });
    await nvim.waitFor(() => nvim.lua("return #vim.lsp.get_clients({ name = 'acp' }) > 0"), 'the client');
  });

  it('keeps prompts that are sent before the host has started', async ({ start }) => {
    const nvim = await start({ init: quickTour });
    await nvim.input(':AcpChat tour<CR>hello from the first moment<C-s>and a draft');
    await nvim.waitFor(
      async () => (await transcript(nvim)).includes('hello from the first moment'),
      'the prompt',
    );
    await nvim.waitFor(async () => (await promptText(nvim)) === 'and a draft', 'the draft');
    await waitForPhase(nvim, 'idle');
  });

  it('opens windows and accepts text while the host is starting', async ({ start }) => {
    const slowNode = `vim.g.acp = vim.tbl_extend('force', vim.g.acp, { node = vim.fn.getcwd() .. '/slow-node' })`;
    const nvim = await start({
      init: `${quickTour}\n${slowNode}`,
      files: {
        'slow-node': '#!/bin/sh\nwhile [ ! -e "$(dirname "$0")/go" ]; do sleep 0.02; done\nexec node "$@"\n',
      },
    });
    fs.chmodSync(nvim.sandbox.path('slow-node'), 0o755);
    await nvim.input(':AcpChat tour<CR>hello');
    await nvim.waitForScreen('› hello');
    await nvim.input('<C-s>');
    expect(await nvim.lua('return vim.api.nvim_get_mode()')).toMatchObject({ blocking: false });
    nvim.sandbox.write({ go: '' });
    await nvim.waitFor(async () => (await transcript(nvim)).includes('hello'), 'the prompt');
  });

  it.for([
    ['tour', 'hang'],
    ['wrapped', 'hang'],
  ] as const)(
    'leaves no process after :qa, with %s in the middle of a turn',
    async ([agent, word], { start }) => {
      const nvim = await start({ init: wrapped });
      await nvim.command(`AcpChat ${agent}`);
      await nvim.input('<Esc>');
      await waitForPhase(nvim, 'idle');
      await nvim.command(`AcpSend ${word}`);
      await waitForPhase(nvim, 'running');
      expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
      await expectNoneLeft(nvim.sandbox.marker);
    },
  );

  it.for(['tour', 'wrapped'] as const)(
    'leaves no process when Neovim is killed, with %s',
    async (agent, { start }) => {
      const nvim = await start({ init: wrapped });
      await nvim.command(`AcpChat ${agent}`);
      await nvim.input('<Esc>');
      await waitForPhase(nvim, 'idle');
      process.kill(nvim.pid, 'SIGKILL');
      await nvim.exited;
      await expectNoneLeft(nvim.sandbox.marker);
    },
  );

  it.for<[string, (host: number, nvim: TestNvim) => unknown]>([
    ['stopped', (host) => process.kill(host, 'SIGSTOP')],
    [
      'stopped and has no agent',
      async (host, nvim) => {
        const children = descendants(host);
        await nvim.command('AcpClose');
        await nvim.waitFor(() => children.some((pid) => !isAlive(pid)), 'the end of the agent');
        process.kill(host, 'SIGSTOP');
      },
    ],
  ])('leaves no process when Neovim is killed while the host is %s', async ([, stop], { start }) => {
    const nvim = await start({ init: wrapped });
    await openTour(nvim);
    await stop(await hostPid(nvim), nvim);
    process.kill(nvim.pid, 'SIGKILL');
    await nvim.exited;
    await expectNoneLeft(nvim.sandbox.marker);
  });

  it.skipIf(!hasGit)('leaves no git that hangs when Neovim is killed', async ({ start }) => {
    const sandbox = new Sandbox();
    const hangs = '#!/bin/sh\ncase "$*" in *ls-files*) exec sleep 600 ;; esac\nexec "$REAL_GIT" "$@"\n';
    sandbox.write({ 'a.txt': 'a', 'bin/git': hangs });
    fs.chmodSync(sandbox.path('bin/git'), 0o755);
    makeRepository(sandbox.cwd);
    const path = `vim.env.REAL_GIT = vim.fn.exepath('git')
      vim.env.PATH = '${sandbox.path('bin')}:' .. vim.env.PATH`;
    const nvim = await start({ sandbox, init: `${quickTour}\n${path}` });
    await openTour(nvim);
    await nvim.command('AcpSend hello');
    const count = (text: string) =>
      processesWith(sandbox.marker).filter(({ command }) => command.includes(text)).length;
    // Two for the agent, of which one waits for the end of Neovim, and one for git.
    await nvim.waitFor(
      () => count('sleep 600') > 0 && count('orphan-guard') === 3,
      'git and its orphan guard',
    );
    process.kill(nvim.pid, 'SIGKILL');
    await nvim.exited;
    await expectNoneLeft(sandbox.marker);
  });

  it.for<[string, (nvim: TestNvim) => unknown]>([
    ['after :qa', (nvim) => nvim.quit('qa')],
    ['when Neovim is killed', (nvim) => process.kill(nvim.pid, 'SIGKILL')],
  ])('leaves no daemon of an agent running %s', async ([, end], { start }) => {
    const nvim = await start({ init: fixture('daemons.mjs') });
    await openFixture(nvim);
    await end(nvim);
    await nvim.exited;
    await expectNoneLeft(nvim.sandbox.marker);
  });

  it('leaves no daemon of an agent running when the host is killed', async ({ start }) => {
    const nvim = await start({ init: fixture('daemons.mjs') });
    await openFixture(nvim);
    const daemons = descendants(await hostPid(nvim));
    process.kill(await hostPid(nvim), 'SIGKILL');
    await nvim.waitFor(() => daemons.every((pid) => !isAlive(pid)), 'the agent and its daemons to end');
  });

  it('exits on :qa without a message about the host if no chat was opened', async ({ start }) => {
    const sandbox = new Sandbox();
    const file = sandbox.path('messages');
    const record = `vim.notify = function(message) vim.fn.writefile({ message }, '${file}', 'a') end`;
    const nvim = await start({ sandbox, init: record });
    await nvim.command('AcpTerminals');
    await nvim.waitFor(() => fs.existsSync(file), 'the message');
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
    expect(sandbox.read('messages')).toBe('acp: no command has run yet\n');
  });

  it('exits on :qa without waiting for an agent that exits slowly', async ({ start }) => {
    const nvim = await start({ init: fixture('slow-exit.mjs', 'left') });
    await openFixture(nvim);
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
    const file = nvim.sandbox.path('left');
    expect(fs.existsSync(file), 'the agent still ends').toBe(false);
    await waitFor(() => fs.existsSync(file), { describe: () => 'the agent was not left its time' });
    await expectNoneLeft(nvim.sandbox.marker);
  });

  it('leaves no process when the host is killed, and restores the conversation', async ({ start }) => {
    const nvim = await start({ init: wrapped, columns: 120 });
    await openTour(nvim);
    await converse(nvim, 'markdown');
    const before = await transcript(nvim);
    const agents = await nvim.lua<number[]>(
      'return vim.api.nvim_get_proc_children(...)',
      await hostPid(nvim),
    );
    const host = await hostPid(nvim);
    process.kill(host, 'SIGKILL');
    await nvim.waitForScreen('acp.nvim was restarted');
    await waitForPhase(nvim, 'idle');
    expect((await transcript(nvim)).slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    await nvim.waitFor(() => agents.every((pid) => !isAlive(pid)), 'the old agents to end');
    await converse(nvim, 'hello again');
  });

  /** Kills the host as soon as it asks Neovim for something of this kind, the given time over, which is done all the same. */
  async function killAt(nvim: TestNvim, op: string, times = 1): Promise<void> {
    await nvim.lua(
      `
      local host, op, left = ...
      local operations = require('acp.operations')
      local receive = operations.receive
      operations.receive = function(name, ...)
        local answer = receive(name, ...)
        left = name == op and left - 1 or left
        if name == op and left == 0 then
          vim.uv.kill(host, 'sigkill')
          local buf = require('acp.chats').current().buf
          _G.shown = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\\n')
        end
        return answer
      end`,
      await hostPid(nvim),
      op,
      times,
    );
  }

  it('keeps a waiting prompt in the paused queue when the host was killed', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    await openTour(nvim);
    await sendHang(nvim);
    await killAt(nvim, 'prompt.accepted');
    await nvim.input('inot lost<Esc><CR>');
    await nvim.waitForScreen('acp.nvim was restarted');
    await nvim.waitForScreen('○ not lost  paused');
    await waitForPhase(nvim, 'idle');
    expect(await promptText(nvim)).toBe('');
    await nvim.waitForScreen('<CR> resume the queue');
    await nvim.waitFor(async () => {
      await nvim.input('<CR>');
      return (await transcript(nvim)).includes('not lost');
    }, 'the prompt in the chat');
  });

  it('keeps a waiting prompt once when the host was killed before it was accepted', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    await openTour(nvim);
    await sendHang(nvim);
    await nvim.lua(
      `local host = ...
       local operations = require('acp.operations')
       local receive = operations.receive
       operations.receive = function(name, ...)
         if name ~= 'prompt.accepted' then return receive(name, ...) end
         operations.receive = receive
         vim.uv.kill(host, 'sigkill')
         return { ok = true }
       end`,
      await hostPid(nvim),
    );
    await nvim.input('inot lost<Esc><CR>');
    await nvim.waitForScreen('acp.nvim was restarted');
    await waitForPhase(nvim, 'idle');
    await nvim.waitFor(() => nvim.lua<boolean>("return #require('acp').queue() == 0"), 'an empty queue');
    expect(await promptText(nvim)).toBe('not lost');
  });

  it.for([
    ['the prompt buffer', 'ihello @selection<Esc><CR>'],
    [':AcpSend', ':AcpSend hello @selection<CR>'],
  ] as const)(
    'keeps a prompt of %s that was being sent when the host was killed, and sends it once',
    async ([, keys], { start }) => {
      const nvim = await start({ init: quickTour });
      await openTour(nvim);
      const before = await hostPid(nvim);
      // Without an answer the host can't send the prompt before it dies.
      await nvim.lua(
        "local host = ...; require('acp.context').read = function() vim.uv.kill(host, 'sigkill') end",
        before,
      );
      await nvim.input(keys);
      await nvim.waitFor(
        async () => ![before, null, undefined].includes(await hostPid(nvim)),
        'another host',
      );
      await nvim.waitFor(async () => (await promptText(nvim)) === 'hello @selection', 'the prompt');
      await waitForPhase(nvim, 'idle');
      expect((await transcript(nvim)).filter((line) => line === 'You')).toEqual([]);
      await nvim.waitFor(async () => {
        await nvim.input('<CR>');
        return (await promptText(nvim)) === '';
      }, 'an empty prompt');
      await nvim.waitFor(
        async () => (await transcript(nvim)).filter((line) => line === 'You').length === 1,
        'the prompt in the chat',
      );
    },
  );

  it('keeps drafts and lets prompts be sent after :AcpRestart!', async ({ start }) => {
    const nvim = await start({ init: quickTour });
    await openTour(nvim);
    await nvim.lua("require('acp.context').read = function() end");
    await nvim.input('ihello @selection<Esc><CR>');
    await nvim.waitFor(
      () => nvim.lua<boolean>("return require('acp.chats').current().sending ~= nil"),
      'sending',
    );
    await nvim.command('AcpRestart!');
    await waitForPhase(nvim, 'idle');
    expect(await promptText(nvim)).toBe('hello @selection');
    await nvim.input('<CR>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'an empty prompt');
    await nvim.waitFor(
      async () => (await transcript(nvim)).filter((line) => line === 'You').length === 1,
      'the prompt in the chat',
    );
  });

  it('restores the whole transcript when the host was killed', async ({ start }) => {
    const nvim = await start({ init: fixture('commands.mjs'), columns: 120 });
    await openFixture(nvim);
    await killAt(nvim, 'chat.draw', 25);
    await nvim.command('AcpSend slowly 10000');
    await nvim.waitForScreen('acp.nvim was restarted');
    const words = (text: string) => text.match(/\d+ /g)?.length ?? 0;
    const shown = words(await nvim.lua<string>('return _G.shown'));
    expect(shown).toBeGreaterThan(20);
    await nvim.waitFor(async () => words((await transcript(nvim)).join('\n')) >= shown, 'what was shown');
  });

  it('survives an uncaught error', async () => {
    const [bundle, entry] = ['dist/host.js', 'rplugin/node/acp.js'].map((file) =>
      JSON.stringify(path.resolve(import.meta.dirname, '../..', file)),
    );
    const code = `require(${bundle}).serve(${entry}, require(${entry}));
      setTimeout(() => { throw new Error('broken'); }, 1);
      setTimeout(() => process.stderr.write('alive'), 50);`;
    const host = spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'ignore', 'pipe'] });
    let said = '';
    host.stderr.on('data', (text) => {
      said += String(text);
    });
    const ended = once(host, 'exit');
    await waitFor(() => /broken[\s\S]*alive/.test(said), {
      describe: () => `the host is not alive: ${said}`,
    });
    host.kill('SIGKILL');
    await ended;
  });

  it('ends an agent behind a wrapper when the host was killed', async ({ start }) => {
    const nvim = await start({ init: wrapped });
    await nvim.command('AcpChat wrapped');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    const host = await hostPid(nvim);
    process.kill(nvim.pid, 'SIGSTOP');
    process.kill(host, 'SIGKILL');
    process.kill(nvim.pid, 'SIGKILL');
    await nvim.exited;
    await expectNoneLeft(nvim.sandbox.marker);
  });

  it('reports a killed agent and restarts it', async ({ start }) => {
    const nvim = await start({ init: wrapped, columns: 120 });
    await openTour(nvim);
    const children = await nvim.lua<number[]>(
      'return vim.api.nvim_get_proc_children(...)',
      await hostPid(nvim),
    );
    const isTour = "return (vim.api.nvim_get_proc(...) or {}).name == 'node'";
    for (const pid of children) if (await nvim.lua<boolean>(isTour, pid)) process.kill(pid, 'SIGKILL');
    await nvim.waitForScreen('Tour was killed by SIGKILL.');
    await nvim.command('AcpRestart');
    await waitForPhase(nvim, 'idle');
    await converse(nvim, 'hello');
  });

  it('stops restarting a host that keeps dying, with a hint', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 120 });
    await openTour(nvim);
    await killHosts(nvim);
    await nvim.waitForScreen('the host is down · :AcpRestart!');
    await nvim.input('<CR>');
    await nvim.command('AcpRestart!');
    await waitForPhase(nvim, 'idle');
    await converse(nvim, 'hello');
  });

  it('restarts a given-up host with all chats when the user asks for it', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 120, files: { 'a.txt': 'text\n' } });
    await openTour(nvim);
    await converse(nvim, 'hello');
    await nvim.command('AcpNew tour');
    await nvim.input('<Esc>');
    await killHosts(nvim);
    await nvim.waitForScreen('the host is down · :AcpRestart!');
    await nvim.input('<CR>');
    await nvim.command('tabedit a.txt');
    await nvim.command('write');
    expect(await nvim.lua("return require('acp.host').is_running()"), 'after :write').toBe(false);
    await nvim.command('AcpChat');
    await nvim.input('<Esc>');
    const chats = "return #(require('acp.host').request('host.status', {}) or { chats = {} }).chats";
    await nvim.waitFor(async () => (await nvim.lua<number>(chats)) === 2, 'both chats');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpSend markdown');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('markdown'), 'the prompt');
    await nvim.command('AcpClose');
    await converse(nvim, 'hello again');
  });

  it('reports an uncaught error in the host and keeps running', async ({ start }) => {
    const brittleNode = `vim.g.acp = vim.tbl_extend('force', vim.g.acp, { node = vim.fn.getcwd() .. '/brittle-node' })`;
    const nvim = await start({
      init: `${quickTour}\n${brittleNode}`,
      columns: 120,
      files: {
        'brittle-node': '#!/bin/sh\nexec node -r "$(dirname "$0")/brittle.cjs" "$@"\n',
        'brittle.cjs': `process.on('SIGUSR2', () => setTimeout(() => { throw new Error('a timer broke'); }));`,
      },
    });
    fs.chmodSync(nvim.sandbox.path('brittle-node'), 0o755);
    await openTour(nvim);
    const pid = await hostPid(nvim);
    process.kill(pid, 'SIGUSR2');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('an error in the host: a timer broke; :AcpLog shows more'),
      'the message',
    );
    await converse(nvim, 'hello');
    expect(await hostPid(nvim)).toBe(pid);
  });

  it.for(['input', 'unknown', 'meta', 'request'])(
    'outlives a message that is nested very deep: %s',
    async (place, { start }) => {
      const nvim = await start({ init: fixture('deep-nesting.mjs'), columns: 120 });
      await openFixture(nvim);
      const pid = await hostPid(nvim);
      await converse(nvim, place);
      await converse(nvim, 'again');
      await nvim.waitForScreen('sent again');
      expect(await hostPid(nvim)).toBe(pid);
    },
  );

  it.for([
    [
      'a node that is not there',
      "vim.g.acp = { node = 'no-such-node' }",
      '"no-such-node" was not found: install Node 20',
    ],
    ['a host that can not start', "vim.g.acp = { node = 'false' }", 'the host exited with code 1'],
  ] as const)('tells of %s', async ([, init, message], { start }) => {
    const nvim = await start({ init, columns: 160 });
    await nvim.input(':AcpChat claude<CR>');
    await nvim.waitForScreen(message);
  });

  it('tells in the chat of a Node that is not there or too old', async ({ start }) => {
    const nvim = await start({
      init: "vim.g.acp = { node = 'no-such-node' }",
      columns: 160,
      files: {
        'versions.js':
          "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '16.20.0' } });",
      },
    });
    const transcript = () =>
      nvim.lua<string[]>(
        "return vim.api.nvim_buf_get_lines(require('acp.chats').current().buf, 0, -1, false)",
      );
    await nvim.input(':AcpChat tour<CR>');
    await nvim.waitFor(
      async () => (await transcript())[0]?.includes('"no-such-node" was not found'),
      'the reason',
    );
    await nvim.lua(`
      local file = vim.uv.cwd() .. '/old-node'
      vim.fn.writefile({ '#!/bin/sh', 'exec node -r ' .. vim.uv.cwd() .. '/versions.js "$@"' }, file)
      vim.uv.fs_chmod(file, 493)
      require('acp').setup({ node = file })`);
    await nvim.input('<Esc>:AcpNew tour<CR>');
    await nvim.waitFor(
      async () => (await transcript())[0]?.startsWith('! Node 16.20.0 is too old'),
      'the version',
    );
    await nvim.waitForScreen('the host is down');
    await nvim.lua("require('acp').setup({ node = 'node' })");
    await nvim.input('<Esc>:AcpChat<CR>');
    await nvim.waitForScreen('Welcome');
    expect((await transcript()).join('\n')).not.toContain('too old');
  });
});
