// Fetches Debian packages into a folder of our own, without root and without touching the system.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export function cacheDir() {
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'acp.nvim');
}

/** The mirror this machine is already set up with. */
export function debianSite() {
  try {
    const format = ['indextargets', '--format', '$(SITE)', 'Created-By: Packages'];
    const sites = run('apt-get', format).split('\n').filter(Boolean);
    return sites.find((site) => !/security/.test(site)) ?? sites[0];
  } catch {
    return undefined;
  }
}

/**
 * Downloads packages of a suite and unpacks them to `<work>/root`, with everything they depend on unless `only` is set.
 * A private apt root: own lists, own cache, an empty package database, so every library is included, also libc.
 */
export function fetchPackages({ site, suite, packages, work, only = false }) {
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
  const archives = path.join(apt, 'archives');
  run('apt-get', [...flags, '-qq', 'update']);
  const verb = only ? ['download'] : ['-y', '--download-only', 'install'];
  run('apt-get', [...flags, '-qq', ...verb, ...packages], { cwd: archives });
  for (const name of fs.readdirSync(archives)) {
    if (name.endsWith('.deb')) run('dpkg-deb', ['-x', path.join(archives, name), path.join(work, 'root')]);
  }
  fs.rmSync(apt, { recursive: true });
}

/**
 * Makes a folder of the cache with a function that fills a draft of it. Two runs may do so at the same time: the first
 * to finish wins, the other uses its result.
 */
export function cacheFolder(name, isComplete, fill) {
  const target = path.join(cacheDir(), name);
  fs.mkdirSync(cacheDir(), { recursive: true });
  const work = fs.mkdtempSync(`${target}-`);
  try {
    fill(work);
    fs.renameSync(work, target);
  } catch (error) {
    if (!isComplete()) throw error;
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

export function run(command, args, options = {}) {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
}
