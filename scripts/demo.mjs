import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { anyNvim } from './nvim.mjs';
import { build, installPackages, root } from './setup.mjs';

installPackages({ dev: false });
build();
const nvim = anyNvim();
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-demo-'));
const project = path.join(home, 'shop');
fs.cpSync(path.join(root, 'scripts', 'shop'), project, { recursive: true });
const hasTerminal = process.stdout.isTTY === true;
const mode = hasTerminal ? [] : ['--headless'];
const { status } = spawnSync(nvim, [...mode, '-u', path.join(root, 'scripts', 'demo.lua'), 'src/cart.js'], {
  cwd: project,
  stdio: hasTerminal ? 'inherit' : ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, ...ownFolders(), ACP_DEMO: hasTerminal ? 'screen' : 'print' },
});
fs.rmSync(home, { recursive: true, force: true });
process.exitCode = status ?? 1;

// Keeps the demo away from the user's own Neovim files.
function ownFolders() {
  const names = ['CONFIG', 'DATA', 'STATE', 'CACHE'];
  return Object.fromEntries(names.map((name) => [`XDG_${name}_HOME`, path.join(home, name.toLowerCase())]));
}
