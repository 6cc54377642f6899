import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { converse, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { isMet } from '../support/system/requirements.ts';
import { aFolder } from '../support/system/temp.ts';

let release: string;

beforeAll(() => {
  release = path.join(fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-release-'))), 'acp.nvim');
  execFileSync(process.execPath, ['scripts/release.mjs', release], { cwd: repoRoot });
}, 120_000);

afterAll(() => fs.rmSync(path.dirname(release), { recursive: true, force: true }));

/** A folder that stands in for PATH: every program but npm. */
function pathWithoutNpm(): string {
  const bin = aFolder();
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter((name) => fs.existsSync(name))) {
    for (const name of fs.readdirSync(folder)) {
      const link = path.join(bin, name);
      if (!/^(npm|npx)/.test(name) && !fs.existsSync(link)) fs.symlinkSync(path.join(folder, name), link);
    }
  }
  return bin;
}

const hasPack = isMet(process.env.ACP_TEST_NVIM !== '0.10', 'Neovim 0.10 has no vim.pack');

const withoutClone = `vim.opt.runtimepath:remove('${repoRoot}')`;

async function expectTour(nvim: TestNvim): Promise<void> {
  await nvim.command('AcpChat tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  await converse(nvim, 'hello');
  expect(await transcript(nvim)).toContain('Tour');
}

describe('a plugin that is not built', () => {
  it('offers to build itself in a terminal, and then opens the chat', async ({ start }) => {
    const clone = path.join(aFolder(), 'acp.nvim');
    for (const name of ['lua', 'plugin', 'syntax', 'rplugin'])
      fs.cpSync(path.join(repoRoot, name), path.join(clone, name), { recursive: true });
    // Stands in for the real one, which install.test.ts runs.
    fs.writeFileSync(
      path.join(clone, 'build.lua'),
      `print('building') vim.fn.system({ 'cp', '-r', '${path.join(repoRoot, 'dist')}', 'dist' })`,
    );
    const nvim = await start({
      init: `${withoutClone} vim.opt.runtimepath:prepend('${clone}')`,
      columns: 160,
    });
    await nvim.input(':AcpChat tour<CR>');
    await nvim.waitForScreen(/acp\.nvim is not built\. Build it: .*nvim -l build\.lua/);
    await nvim.input('1<CR>');
    await nvim.waitFor(async () => (await nvim.messages()).includes('acp.nvim is built'), 'the build');
    await waitForPhase(nvim, 'idle');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'the chat');
  });
});

describe('a release', () => {
  it('runs without npm and node-pty, and says once that there are no terminals', async ({ start }) => {
    const nvim = await start({
      init: `${withoutClone} vim.opt.runtimepath:prepend('${release}') vim.env.PATH = '${pathWithoutNpm()}'`,
    });
    expect(await nvim.lua("return vim.fn.executable('npm')")).toBe(0);
    await expectTour(nvim);
    await nvim.command('AcpNew');
    await nvim.command('AcpRun echo hi');
    const runs = 'this machine has no terminals; :checkhealth acp shows the reason';
    await nvim.waitFor(async () => (await nvim.messages()).includes(runs), runs);
    const missing = 'acp: node-pty is missing, so there are no terminals: see :checkhealth acp';
    expect((await nvim.messages()).split('\n').filter((line) => line === missing)).toHaveLength(1);
  });

  it('needs nothing of build.lua but node-pty', async ({ start }) => {
    const nvim = await start();
    await nvim.lua('vim.env.PATH = ...', pathWithoutNpm());
    await nvim.lua('dofile(...)', path.join(release, 'build.lua'));
    const messages = await nvim.messages();
    expect(messages).toContain(
      'acp.nvim: npm was not found, so there are no terminals: see :checkhealth acp',
    );
    expect(messages).toContain('acp.nvim: Done');
  });

  it.runIf(hasPack)('is installed by vim.pack as the README says', async ({ start }) => {
    const git = (...args: string[]) => execFileSync('git', ['-C', release, ...args]);
    git('init', '-q', '-b', 'main');
    git('add', '-A', '-f');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'release');
    const readme = fs.readFileSync(path.join(repoRoot, 'README.md'), 'utf8');
    const [, snippet = ''] = /With `vim\.pack`[\s\S]*?```lua\n([\s\S]*?)```/.exec(readme) ?? [];
    const code = snippet.replace(
      /vim\.pack\.add\(\{ '[^']*' \}\)/,
      `vim.pack.add({ 'file://${release}' }, { confirm = false })`,
    );
    // `--clean` leaves the folders of the user out.
    const site = "vim.opt.packpath:prepend(vim.fn.stdpath('data') .. '/site')";
    const nvim = await start({ init: `${withoutClone} ${site} vim.env.PATH = '${pathWithoutNpm()}'` });
    await nvim.lua(`_G.builds = 0
      local system = vim.system
      vim.system = function(command, ...)
        if command[3] == 'build.lua' then _G.builds = _G.builds + 1 end
        return system(command, ...)
      end`);
    await nvim.lua(code);
    expect(await nvim.lua('return _G.builds')).toBe(1);
    await expectTour(nvim);
  });
});
