import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { nvimFor } from '../../scripts/nvim.mjs';
import { converse, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';

/** What a plugin manager clones: the files git knows, without packages and build. */
function cloneInto(folder: string): void {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: repoRoot,
    encoding: 'utf8',
  });
  for (const file of files.split('\n').filter((name) => name !== '' && !name.startsWith('test/'))) {
    if (fs.existsSync(path.join(repoRoot, file)))
      fs.cpSync(path.join(repoRoot, file), path.join(folder, file));
  }
}

/** Runs build.lua as lazy.nvim does: loaded from the clone, in a coroutine, each yielded text shown as progress. */
async function build(
  nvim: TestNvim,
  folder: string,
): Promise<{ ok: boolean; error: string; progress: string[] }> {
  await nvim.lua(
    `
    local chunk = assert(loadfile(...))
    _G.build = { progress = {} }
    local thread = coroutine.create(chunk)
    local timer = vim.uv.new_timer()
    timer:start(0, 10, vim.schedule_wrap(function()
      if _G.build.done then return end
      local ok, message = coroutine.resume(thread)
      if ok and message then table.insert(_G.build.progress, message) end
      if not ok or coroutine.status(thread) == 'dead' then
        timer:stop()
        _G.build.done = { ok = ok, error = tostring(message) }
      end
    end))`,
    path.join(folder, 'build.lua'),
  );
  await nvim.waitFor(() => nvim.lua('return _G.build.done ~= nil'), 'the build', 120_000);
  return nvim.lua("return vim.tbl_extend('force', _G.build.done, { progress = _G.build.progress })");
}

/** A folder that stands in for PATH, with the programs given. */
function programs(nvim: TestNvim, scripts: Record<string, string>): string {
  const files = Object.entries(scripts).map(([name, script]) => [`bin/${name}`, `#!/bin/sh\n${script}\n`]);
  nvim.sandbox.write(Object.fromEntries(files));
  for (const name of Object.keys(scripts)) fs.chmodSync(nvim.sandbox.path(`bin/${name}`), 0o755);
  return nvim.sandbox.path('bin');
}

/** The spec that the README shows, as Lua. */
function specOfReadme(): string {
  const readme = fs.readFileSync(path.join(repoRoot, 'README.md'), 'utf8');
  const [, spec] = /lazy\.nvim\][\s\S]*?```lua\n([\s\S]*?)```/.exec(readme) ?? [];
  if (spec === undefined) throw new Error('the README shows no spec');
  return spec;
}

// What lazy.nvim makes of a spec before its plugin is loaded: a spec with keys or commands is lazy unless it says no.
const lazyManager = `
local function load()
  vim.opt.runtimepath:prepend(_G.acp_root)
  vim.cmd.source(_G.acp_root .. '/plugin/acp.lua')
end
function _G.take(spec)
  local is_lazy = spec.lazy
  if is_lazy == nil then is_lazy = (spec.keys or spec.cmd or spec.event or spec.ft) ~= nil end
  for _, name in ipairs(is_lazy and spec.cmd or {}) do vim.api.nvim_create_user_command(name, load, {}) end
  if not is_lazy then load() end
end`;

describe('installing with a plugin manager', () => {
  it('gives every command and the health check with the spec of the README', async ({ start }) => {
    const plain = await start();
    const commands = "return vim.fn.getcompletion('Acp', 'command')";
    const all = await plain.lua<string[]>(commands);
    const init = `vim.opt.runtimepath:remove('${repoRoot}') _G.acp_root = '${repoRoot}' ${lazyManager}`;
    const nvim = await start({ init });
    await nvim.lua(`_G.take(${specOfReadme()})`);
    expect(await nvim.lua<string[]>(commands)).toEqual(all);
    await nvim.command('checkhealth acp');
    await nvim.waitFor(async () => (await nvim.lines()).join('\n').includes('journals:'), 'the report');
  });

  it('opens a chat after packadd', async ({ start }) => {
    const init = `vim.opt.runtimepath:remove('${repoRoot}') vim.opt.packpath:prepend(vim.fn.getcwd())`;
    const nvim = await start({ init });
    fs.mkdirSync(nvim.sandbox.path('pack/agents/opt'), { recursive: true });
    fs.symlinkSync(repoRoot, nvim.sandbox.path('pack/agents/opt/acp.nvim'));
    expect(await nvim.lua("return vim.fn.exists(':AcpChat')")).toBe(0);
    await nvim.command('packadd acp.nvim');
    await nvim.command('AcpChat tour');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'the chat');
  });

  it('builds with nvim -l build.lua', { timeout: 180_000 }, async ({ start }) => {
    const { sandbox } = await start();
    const folder = sandbox.path('acp.nvim');
    cloneInto(folder);
    const nvim = nvimFor(process.env.ACP_TEST_NVIM ?? '0.12');
    const { status, stderr } = spawnSync(nvim, ['--clean', '-l', 'build.lua'], {
      cwd: folder,
      env: sandbox.env,
      encoding: 'utf8',
    });
    expect(stderr).toContain('Done');
    expect(status).toBe(0);
    expect(fs.existsSync(path.join(folder, 'dist', 'host.js'))).toBe(true);
  });

  it('builds the plugin from a clone and shows what it does', { timeout: 180_000 }, async ({ start }) => {
    const nvim = await start();
    const folder = nvim.sandbox.path('acp.nvim');
    cloneInto(folder);
    const { ok, error, progress } = await build(nvim, folder);
    expect(error).toBe('nil');
    expect(ok).toBe(true);
    expect(progress.some((line) => /^added \d+ packages/.test(line))).toBe(true);
    expect(progress).toEqual(expect.arrayContaining(['Installing packages', 'Building the host', 'Done']));
    const user = await start({
      init: `vim.opt.runtimepath:remove('${repoRoot}') vim.opt.runtimepath:prepend('${folder}')`,
    });
    await user.command('AcpChat tour');
    await user.input('<Esc>');
    await waitForPhase(user, 'idle');
    await converse(user, 'hello');
    expect(await transcript(user)).toContain('Tour');
  });

  it.for([
    ['node is missing', {}, 'acp.nvim: node was not found. Install Node 20 or newer, then build again.'],
    ['npm is missing', { node: 'echo v20.1.0' }, 'acp.nvim: npm was not found. Install Node 20 or newer'],
    [
      'node is too old',
      { node: 'echo v18.20.4', npm: '' },
      'acp.nvim: node is v18.20.4. Install Node 20 or newer',
    ],
    [
      'npm fails',
      { node: 'echo v20.1.0', npm: 'echo no space >&2; exit 1' },
      '"npm ci --omit=dev --no-audit --no-fund" failed',
    ],
  ] as const)('says so when %s', async ([, scripts, message], { start }) => {
    const nvim = await start();
    const bin = programs(nvim, scripts);
    await nvim.lua('vim.env.PATH = ...', bin);
    const { ok, error } = await build(nvim, repoRoot);
    expect(ok).toBe(false);
    expect(error).toContain(message);
  });
});
