// Finds a Neovim. On Debian-like systems it can download one, without changing the system.
// As a program: `node scripts/nvim.mjs [0.10|0.12]` prints its path.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDir, cacheFolder, debianSite, fetchPackages, run } from './debian.mjs';

const oldest = [0, 10];

/** The Debian suites with the two Neovim releases that the tests run on. */
const suites = { '0.10': 'trixie', 0.12: 'forky' };

/** The Neovim for the demo: the user's own if it is new enough, otherwise a downloaded one. */
export function anyNvim() {
  for (const candidate of [process.env.ACP_NVIM, 'nvim']) {
    if (candidate && isNewEnough(versionOf(candidate))) return candidate;
  }
  return nvimFor('0.12');
}

/** The Neovim of a test lane: $ACP_NVIM_0_10 or $ACP_NVIM_0_12, otherwise one from Debian. */
export function nvimFor(release) {
  const named = process.env[`ACP_NVIM_${release.replace('.', '_')}`];
  if (named) return named;
  const nvim = pathOf(release);
  if (!versionOf(nvim)) fetchFromDebian(release);
  return nvim;
}

function pathOf(release) {
  return path.join(cacheDir(), `nvim-${release}`, 'nvim');
}

export function versionOf(nvim) {
  try {
    const banner = execFileSync(nvim, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      // Even --version would create a log folder in the user's home.
      env: { ...process.env, NVIM_LOG_FILE: os.devNull },
    });
    return /^NVIM v(\d+)\.(\d+)\.(\d+)/.exec(banner)?.slice(1).map(Number);
  } catch {
    return undefined;
  }
}

function isNewEnough(version) {
  return version && (version[0] > oldest[0] || version[1] >= oldest[1]);
}

function fetchFromDebian(release) {
  const site = debianSite();
  if (!site) {
    throw new Error(
      `Neovim ${release} was not found. Install Neovim 0.10 or later (https://github.com/neovim/neovim/releases) ` +
        `and put it on PATH, or set ACP_NVIM to its path (for tests: ACP_NVIM_${release.replace('.', '_')}).`,
    );
  }
  process.stderr.write(`Downloading Neovim ${release} …\n`);
  const isComplete = () => versionOf(pathOf(release)) !== undefined;
  cacheFolder(`nvim-${release}`, isComplete, (work) => {
    fetchPackages({ site, suite: suites[release], packages: ['neovim', 'patchelf'], work });
    link(work, path.join(path.dirname(pathOf(release)), 'root'));
  });
}

// nvim restarts v:progpath for its terminal UI, so the binary itself must contain the paths of loader and libraries.
function link(work, home) {
  const root = path.join(work, 'root');
  const triplet = fs.readdirSync(path.join(root, 'usr/lib')).find((name) => /-linux-gnu/.test(name));
  const libs = path.join('usr/lib', triplet);
  const loader = fs.readdirSync(path.join(root, libs)).find((name) => name.startsWith('ld-linux'));
  const patchelf = [
    ...['--library-path', path.join(root, libs), path.join(root, 'usr/bin/patchelf')],
    ...['--set-interpreter', path.join(home, libs, loader), '--force-rpath'],
    ...['--set-rpath', path.join(home, libs), path.join(root, 'usr/bin/nvim')],
  ];
  run(path.join(root, libs, loader), patchelf);
  const script = `#!/bin/sh\nVIMRUNTIME="${home}/usr/share/nvim/runtime" exec "${home}/usr/bin/nvim" "$@"\n`;
  fs.writeFileSync(path.join(work, 'nvim'), script, { mode: 0o755 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const release = process.argv[2];
  process.stdout.write(`${release ? nvimFor(release) : anyNvim()}\n`);
}
