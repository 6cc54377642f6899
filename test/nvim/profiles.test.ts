import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { quickTour, startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const profile = "{ agents = { work = { agent = 'tour', mode = 'brief' } } }";
const waitForMode = (nvim: TestNvim, mode: string) => nvim.waitForScreen(mode);
const lastCwd = (nvim: TestNvim) => nvim.lua<string>("return require('acp.chats').current().cwd");

describe('a profile', () => {
  it('is an agent with other settings, under the same commands', async ({ start }) => {
    const nvim = await startChat(start, { agent: 'work', config: profile });
    await waitForMode(nvim, 'Brief');
    expect(await nvim.lua("return require('acp.chats').current().agent")).toBe('work');
    expect(await nvim.lua("return vim.fn.getcompletion('AcpChat w', 'cmdline')")).toEqual(['work']);
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForMode(nvim, 'Guided');
  });

  it.for([
    [
      "{ agents = { work = { agent = 'nobody' } } }",
      'the profile "work" is about the unknown agent "nobody"',
    ],
    [
      "{ agents = { work = { agent = 'other' }, other = { agent = 'tour' } } }",
      'the profile "work" is about the unknown agent "other"',
    ],
  ] as const)('of %s is reported', async ([config, message], { start }) => {
    const nvim = await start({ init: `vim.g.acp = ${config}`, columns: 200 });
    expect(await nvim.command('silent! AcpChat work | messages')).toContain(message);
  });

  it('can make its sessions private', async ({ start }) => {
    const nvim = await startChat(start, {
      agent: 'work',
      config: "{ agents = { work = { agent = 'tour', private = true } } }",
    });
    await nvim.waitForScreen('private');
  });
});

describe('the settings of a project', () => {
  const settings = '{ "agent": "tour", "mode": "brief", "colour": "red", "command": ["rm"] }';

  async function open(nvim: TestNvim, command: string, answer: string): Promise<void> {
    await nvim.input(`:${command}<CR>`);
    await nvim.waitForScreen('(v)iew, (d)eny');
    await nvim.input(answer);
    await nvim.waitForScreen('Welcome');
    await nvim.input('<Esc>');
  }

  // Neovim 0.10 trusts the content of a buffer only.
  const trust = (nvim: TestNvim) =>
    nvim.lua(`
      local buf = vim.fn.bufadd('.acp.json')
      vim.fn.bufload(buf)
      vim.secure.trust({ action = 'allow', bufnr = buf })
      vim.api.nvim_buf_delete(buf, { force = true })`);

  it('count after the user has trusted the file', async ({ start }) => {
    const nvim = await start({ init: quickTour, files: { '.acp.json': settings }, columns: 200 });
    await nvim.attachHost();
    await open(nvim, 'AcpChat tour', 'v');
    await nvim.waitForScreen('Guided');
    const current = () => nvim.lua<string>("return vim.fn.expand('%:t') .. ' ' .. vim.fn.mode()");
    await nvim.waitFor(async () => (await current()) === '.acp.json n', 'the cursor in the viewed file');
    await nvim.command('trust | wincmd b');
    const messages = await nvim.command('AcpNew');
    await nvim.waitForScreen('Brief');
    await nvim.input('<Esc>');
    expect(messages).toContain('"colour" can not be set by a project');
    expect(messages).toContain('"command" can not be set by a project');
    await nvim.command('trust ++remove .acp.json');
    await open(nvim, 'AcpNew', 'i');
    await nvim.waitForScreen('Guided');
  });

  it('are named in a message about them', async ({ start }) => {
    const files = { '.acp.json': '{ "mode": "fast" }' };
    const nvim = await start({ init: quickTour, files, columns: 200 });
    await nvim.attachHost();
    await trust(nvim);
    await nvim.command('AcpChat tour');
    await nvim.waitForScreen('Tour has no Mode "fast" (mode in .acp.json).');
  });

  it('have no effect if the user ignores them, which is asked once per command', async ({ start }) => {
    const nvim = await start({ init: quickTour, files: { '.acp.json': settings }, columns: 200 });
    await nvim.attachHost();
    await open(nvim, 'AcpChat', 'i');
    await nvim.waitForScreen('Guided');
  });

  it('name no other file of servers, which nobody has trusted', async ({ start }) => {
    const nvim = await start({ columns: 200 });
    const serversIn = async (servers: unknown) => {
      const file = nvim.sandbox.path('.acp.json');
      fs.writeFileSync(file, JSON.stringify({ mode: 'brief', mcp_servers: servers }));
      await trust(nvim);
      return nvim.lua(
        `local settings = require('acp.agents.project').read(vim.fs.dirname(...))
         return { settings.mode, settings.mcp_servers }`,
        file,
      );
    };
    const withFiles = [
      ...['a.json', ['a.json'], { mcpServers: ['a.json'] }, { mcp: { servers: 'a.json' } }],
      ...[[null, 'a.json'], { mcpServers: [null, null, 'a.json'] }],
    ];
    for (const servers of withFiles) expect(await serversIn(servers)).toEqual(['brief']);
    const written = { docs: { command: 'docs', args: ['a.json'] } };
    expect(await serversIn(written)).toEqual(['brief', written]);
    expect(await serversIn({ mcpServers: written })).toEqual(['brief', { mcpServers: written }]);
  });

  it('are not read from a huge file, which would block Neovim', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 200 });
    fs.writeFileSync(nvim.sandbox.path('.acp.json'), `{ "agent": "tour" }${' '.repeat(300 * 1024)}`);
    await nvim.attachHost();
    const said = await nvim.command('AcpChat tour');
    expect(said).toContain('.acp.json is larger than 256 kB, so it has no effect');
    await nvim.waitForScreen('Guided');
  });

  it('are not read from a pipe, which would block Neovim', async ({ start }) => {
    const nvim = await start({ init: quickTour, columns: 200 });
    execFileSync('mkfifo', [nvim.sandbox.path('.acp.json')]);
    await nvim.attachHost();
    expect(await nvim.command('AcpChat tour')).toContain(".acp.json can't be read, so it has no effect");
    await nvim.waitForScreen('Guided');
  });

  it('that can not be read are named, because they may make a chat private', async ({ start }) => {
    const nvim = await start({ columns: 200 });
    const file = nvim.sandbox.path('.acp.json');
    const read = () =>
      nvim.lua<string>(
        `local messages = {}
         vim.notify = function(text) table.insert(messages, text) end
         require('acp.agents.project').read(vim.fs.dirname(...))
         return table.concat(messages, '\\n')`,
        file,
      );
    expect(await read()).toBe('');
    fs.symlinkSync('.acp.json', file);
    expect(await read()).toContain(".acp.json can't be read, so it has no effect");
    fs.rmSync(file);
    fs.mkdirSync(file);
    expect(await read()).toContain(".acp.json can't be read, so it has no effect");
  });
});

describe('the folder of a session', () => {
  it.for([
    ['cwd', ''],
    ['git', 'repository'],
    ['lsp', 'repository/package'],
  ] as const)('with root = %s is the right one', async ([root, expected], { start }) => {
    const nvim = await start({
      init: `${quickTour} vim.g.acp = vim.tbl_extend('force', vim.g.acp, { root = '${root}' })`,
      files: { 'repository/package/src/a.lua': 'return 1\n' },
    });
    await nvim.attachHost();
    const cwd = fs.realpathSync(await nvim.lua<string>('return vim.fn.getcwd()'));
    execFileSync('git', ['init', '-q', path.join(cwd, 'repository')]);
    await nvim.command('edit repository/package/src/a.lua');
    await nvim.lua(
      `vim.lsp.start({
        name = 'fake',
        root_dir = ...,
        cmd = function()
          return {
            request = function(_, _, done) done(nil, { capabilities = {} }) return true, 1 end,
            notify = function() return true end,
            is_closing = function() return false end,
            terminate = function() end,
          }
        end,
      })`,
      path.join(cwd, 'repository/package'),
    );
    await nvim.waitFor(
      () => nvim.lua('return #vim.lsp.get_clients({ bufnr = 0 }) > 0'),
      'the language server',
    );
    await nvim.command('AcpChat tour');
    expect(fs.realpathSync(await lastCwd(nvim))).toBe(path.join(cwd, expected));
  });
});
