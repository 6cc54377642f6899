// A Neovim in a copy of scripts/shop, with the agent of the pictures.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesIn } from '../screenshot/nvim.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const agent = path.join(folder, 'agent.mjs');

// Nobody reads here, so questions can be answered immediately.
const init = (background) => `
  vim.o.background = '${background}'
  vim.g.acp = {
    agent = 'coder',
    agents = { coder = { command = { 'node', '${agent}' } } },
    permissions = { 'allow run node --test' },
  }
  require('acp.dialogs.dialog').guard_ms = 0`;

/** Starts the Neovim, calls back with it and ends it. */
export async function withShop({ startNvim, Sandbox }, options, run) {
  // The folder is shown as ~/work.
  const sandbox = new Sandbox();
  const nvim = await startNvim({
    columns: options.columns ?? 120,
    lines: options.lines ?? 36,
    files: filesIn(path.join(folder, '..', 'shop')),
    init: `${init(options.background)} ${options.init ?? ''}`,
    sandbox,
    env: { HOME: sandbox.root },
    args: ['src/cart.js'],
  });
  try {
    return await run(nvim);
  } finally {
    await nvim.dispose();
  }
}
