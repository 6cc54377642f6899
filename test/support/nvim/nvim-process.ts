import { type ChildProcess, spawn } from 'node:child_process';
import { once as nextEvent } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { nvimFor } from '../../../scripts/nvim.mjs';
import { once } from '../../../src/base/once.ts';
import { repoRoot } from '../system/repo-root.ts';
import type { Sandbox } from './sandbox.ts';

export { repoRoot };

export interface NvimProcessOptions {
  /** Arguments after our own, such as the names of files to open. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Lua that runs before any plugin is loaded. */
  readonly init?: string;
  /** False: without --clean, which keeps Neovim from loading the manifest of remote plugins. */
  readonly isClean?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface NvimProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<Exit>;
}

/** The notification that Neovim sends when it has started. */
export const enteredEvent = 'acp_test_entered';

const findNvim = once(() => nvimFor(process.env.ACP_TEST_NVIM ?? '0.12'));

export function spawnNvim(
  sandbox: Sandbox,
  { args = [], env = {}, init = '', isClean = true }: NvimProcessOptions,
): NvimProcess {
  const before = path.join(sandbox.root, 'before.lua');
  fs.writeFileSync(before, `${prelude}\n${init}\n`);
  const child = spawn(
    findNvim(),
    ['--embed', ...(isClean ? ['--clean'] : []), '--cmd', `luafile ${before}`, ...args],
    {
      cwd: sandbox.cwd,
      env: { ...sandbox.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  if (!child.pid) throw new Error(`${findNvim()} can't be started`);
  // Writing to a killed Neovim is not an error.
  child.stdin.on('error', () => undefined);
  return { child, pid: child.pid, exited: exitOf(child) };
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = await nextEvent(child, 'exit');
  return { code, signal };
}

// With --embed, our channel is 1. The intro and the ruler are not the same in all releases.
const prelude = `
vim.opt.runtimepath:prepend(${JSON.stringify(repoRoot)})
vim.opt.shortmess:append('I')
vim.o.ruler = false
vim.api.nvim_create_autocmd('VimEnter', {
  once = true,
  callback = function() vim.rpcnotify(1, '${enteredEvent}') end,
})
`;
