// Runs luacheck: the one on PATH, else Debian's package in our own Neovim, which brings the Lua it needs.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDir, cacheFolder, debianSite, fetchPackages } from './debian.mjs';
import { nvimFor } from './nvim.mjs';

const suite = 'trixie';
const flags = ['--codes', '--quiet', '--no-color', '--no-cache'];

/** What luacheck finds in some files, or why it could not run. */
export function luacheck(files) {
  const onPath = spawnSync('luacheck', [...flags, ...files], { encoding: 'utf8' });
  if (!onPath.error) return findingsOf(onPath);
  const folder = modulesFolder();
  if (!folder)
    return { findings: [], skipped: 'luacheck is neither on PATH nor available as a Debian package' };
  const program = path.join(import.meta.dirname, 'luacheck.lua');
  const args = ['--clean', '-l', program, folder, ...flags, ...files];
  return findingsOf(spawnSync(nvimFor('0.12'), args, { encoding: 'utf8' }));
}

function findingsOf({ status, stdout, stderr }) {
  const lines = `${stdout}${stderr}`.split(/\r?\n/).map((line) => line.trim());
  const findings = lines.filter((line) => /^\S+:\d+:\d+: /.test(line));
  if (status !== 0 && findings.length === 0) findings.push(...lines.filter(Boolean));
  return { findings };
}

function modulesFolder() {
  const folder = path.join(cacheDir(), `luacheck-${suite}`, 'root/usr/share/lua/5.1');
  const isComplete = () => fs.existsSync(path.join(folder, 'luacheck', 'main.lua'));
  if (isComplete()) return folder;
  const site = debianSite();
  if (!site) return undefined;
  process.stderr.write('Getting luacheck …\n');
  // Its other dependencies are a Lua and a library in C; luacheck.lua stands in for both.
  const packages = ['lua-check', 'lua-argparse'];
  cacheFolder(`luacheck-${suite}`, isComplete, (work) =>
    fetchPackages({ site, suite, packages, work, only: true }),
  );
  return folder;
}
