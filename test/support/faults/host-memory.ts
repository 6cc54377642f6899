import fs from 'node:fs';
import path from 'node:path';
import type { NvimOptions, TestNvim } from '../nvim/nvim.ts';
import type { Sandbox } from '../nvim/sandbox.ts';
import { repoRoot } from '../system/repo-root.ts';

const hook = path.join(repoRoot, 'test/fixtures/measured-host.cjs');

/** Options for a Neovim whose host can tell how much memory it uses; they have to set `vim.g.acp`. */
export function measuredHost(options: NvimOptions & { readonly sandbox: Sandbox }): NvimOptions {
  const { root } = options.sandbox;
  const node = path.join(root, 'measured-node');
  fs.writeFileSync(node, `#!/bin/sh\nexec node --expose-gc -r '${hook}' "$@"\n`, { mode: 0o755 });
  return {
    ...options,
    env: { ...options.env, ACP_TEST_MEMORY: path.join(root, 'memory') },
    init: `${options.init}\nvim.g.acp = vim.tbl_extend('force', vim.g.acp, { node = '${node}' })`,
  };
}

/** Bytes that the host has in use after its garbage was collected. */
export async function hostMemory(nvim: TestNvim, pid: number): Promise<number> {
  const file = path.join(nvim.sandbox.root, 'memory');
  fs.rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  await nvim.waitFor(() => fs.existsSync(file), 'the memory of the host');
  return (JSON.parse(fs.readFileSync(file, 'utf8')) as { heap: number }).heap;
}
