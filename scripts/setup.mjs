// Prepares the demo and the tests: installs the packages and builds the plugin.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Installs the packages if they are missing or differ from the lockfile. `dev` includes those for tests. */
export function installPackages({ dev }) {
  if (hasPackages(root, { dev })) return;
  process.stderr.write('Installing packages …\n');
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', ...(dev ? [] : ['--omit=dev'])];
  run('npm', ['ci', ...flags]);
}

/** Whether npm has installed what the lockfile of the folder names. Optional packages are those of other systems. */
export function hasPackages(folder, { dev }) {
  const wanted = packagesOf(path.join(folder, 'package-lock.json'));
  const installed = packagesOf(path.join(folder, 'node_modules', '.package-lock.json'));
  const isNeeded = (place) => place !== '' && !wanted[place].optional && (dev || !wanted[place].dev);
  return Object.keys(wanted)
    .filter(isNeeded)
    .every((place) => installed[place]?.version === wanted[place].version);
}

function packagesOf(lockfile) {
  return fs.existsSync(lockfile) ? JSON.parse(fs.readFileSync(lockfile, 'utf8')).packages : {};
}

export function build() {
  run(process.execPath, [path.join(root, 'scripts', 'build.mjs')]);
}

/** Runs a program in the root of the project. Its output goes to stderr; stdout is for results. */
export function run(command, args) {
  const isScript = process.platform === 'win32' && command === 'npm';
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: isScript });
}
