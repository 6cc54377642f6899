// Prepares the demo and the tests: installs the packages and builds the plugin.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const stamp = path.join(root, 'node_modules', '.acp-installed');

/**
 * Installs the packages if they are missing or differ from the lockfile. `dev` includes those for tests, which are not
 * removed if `npm ci` has installed them.
 */
export function installPackages({ dev }) {
  const isAll = dev || fs.existsSync(path.join(root, 'node_modules', 'vitest'));
  const wanted = createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const installed = fs.existsSync(stamp) ? fs.readFileSync(stamp, 'utf8').split(' ') : [];
  if (installed[0] === wanted && (installed[1] === 'all' || !dev)) return;
  process.stderr.write('Installing packages …\n');
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', ...(isAll ? [] : ['--omit=dev'])];
  run('npm', ['ci', ...flags]);
  fs.writeFileSync(stamp, `${wanted} ${isAll ? 'all' : 'production'}`);
}

export function build() {
  run(process.execPath, [path.join(root, 'scripts', 'build.mjs')]);
}

/** Runs a program in the root of the project. Its output goes to stderr; stdout is for results. */
export function run(command, args) {
  const isScript = process.platform === 'win32' && command === 'npm';
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: isScript });
}
