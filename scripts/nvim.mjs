// Finds a Neovim, or gets one on Debian-like systems without touching the system itself.
// As a program: `node scripts/nvim.mjs [0.10|0.12]` prints the path of one.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const oldest = [0, 10];

/** Debian suites that carry the two Neovims the tests run on. */
const suites = { '0.10': 'trixie', 0.12: 'forky' };

/** The Neovim for a person: their own if it is new enough, else one of ours. */
export function anyNvim() {
  for (const candidate of [process.env.ACP_NVIM, 'nvim']) {
    if (candidate && isNewEnough(versionOf(candidate))) return candidate;
  }
  return nvimFor('0.12');
}

/** The Neovim of one test lane: $ACP_NVIM_0_10, $ACP_NVIM_0_12, else from the Debian suite that has it. */
export function nvimFor(release) {
  const named = process.env[`ACP_NVIM_${release.replace('.', '_')}`];
  if (named) return named;
  const nvim = path.join(cacheDir(), `nvim-${release}`, 'nvim');
  if (!versionOf(nvim)) fetchFromDebian(release);
  return nvim;
}

export function versionOf(nvim) {
  try {
    const banner = execFileSync(nvim, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      // Even this would otherwise make a folder for its log in the user's home.
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

function cacheDir() {
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'acp.nvim');
}

// A private apt root: own lists, own cache, an empty package database, so every library comes along, libc included.
function fetchFromDebian(release) {
  const site = debianSite();
  if (!site) {
    throw new Error(
      `Neovim ${release} was not found. Install Neovim >= 0.10 (https://github.com/neovim/neovim/releases) ` +
        `and put it on PATH, or name it in ACP_NVIM (tests: ACP_NVIM_${release.replace('.', '_')}).`,
    );
  }
  process.stderr.write(`Getting Neovim ${release} …\n`);
  fs.mkdirSync(cacheDir(), { recursive: true });
  const work = fs.mkdtempSync(path.join(cacheDir(), `nvim-${release}-`));
  try {
    download(site, suites[release], work);
    unpack(work);
    link(work);
    publish(work, path.join(cacheDir(), `nvim-${release}`));
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

// The mirror this machine is already set up with.
function debianSite() {
  try {
    const format = ['indextargets', '--format', '$(SITE)', 'Created-By: Packages'];
    const sites = run('apt-get', format).split('\n').filter(Boolean);
    return sites.find((site) => !/security/.test(site)) ?? sites[0];
  } catch {
    return undefined;
  }
}

function download(site, suite, work) {
  const apt = path.join(work, 'apt');
  for (const dir of ['lists/partial', 'archives/partial'])
    fs.mkdirSync(path.join(apt, dir), { recursive: true });
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  fs.writeFileSync(path.join(apt, 'sources.list'), `deb [signed-by=${keyring}] ${site} ${suite} main\n`);
  fs.writeFileSync(path.join(apt, 'status'), '');
  const options = {
    'Dir::Etc::sourcelist': path.join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::Etc::preferencesparts': '-',
    'Dir::State': apt,
    'Dir::State::lists': path.join(apt, 'lists'),
    'Dir::State::status': path.join(apt, 'status'),
    'Dir::Cache': apt,
    'Dir::Cache::archives': path.join(apt, 'archives'),
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': '',
    'Debug::NoLocking': 'true',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  run('apt-get', [...flags, '-qq', 'update']);
  run('apt-get', [...flags, '-qq', '-y', '--download-only', 'install', 'neovim', 'patchelf']);
}

function unpack(work) {
  const archives = path.join(work, 'apt', 'archives');
  const root = path.join(work, 'root');
  for (const name of fs.readdirSync(archives)) {
    if (name.endsWith('.deb')) run('dpkg-deb', ['-x', path.join(archives, name), root]);
  }
  fs.rmSync(path.join(work, 'apt'), { recursive: true });
}

// nvim starts v:progpath again for its terminal UI, so the binary itself must know its loader and libraries.
function link(work) {
  const root = path.join(work, 'root');
  const home = finalRoot(work);
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

function finalRoot(work) {
  return path.join(work.replace(/-[^-]*$/, ''), 'root');
}

// Two runs may fetch at once: the first to finish wins, the other uses its result.
function publish(work, target) {
  try {
    fs.renameSync(work, target);
  } catch (error) {
    if (!versionOf(path.join(target, 'nvim'))) throw error;
  }
}

function run(command, args) {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const release = process.argv[2];
  process.stdout.write(`${release ? nvimFor(release) : anyNvim()}\n`);
}
