// Changes the code of some folders in small ways and runs the tests that reach it: `npm run mutate -- src/permissions`.
// What no test notices is listed at the end, and what of that no test can notice. A second run tries only what has changed
// since the first. With `--unit` it runs only the tests in `test/unit`, which takes minutes where the others take hours.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const isUnit = process.argv.includes('--unit');
const places = process.argv.slice(2).filter((each) => each !== '--unit');

if (places.length === 0) {
  console.error('Usage: npm run mutate -- [--unit] FOLDER-OR-FILE …, such as src/permissions');
  process.exit(2);
}

const patterns = places.map((place) =>
  fs.statSync(path.join(root, place)).isDirectory() ? `${place.replace(/\/$/, '')}/**/*.ts` : place,
);
const stryker = path.join(root, 'node_modules', '.bin', 'stryker');
// Its own file: what no unit test notices, a test with real parts may.
const lanes = isUnit
  ? ['--testFiles', 'test/unit/**/*.test.ts', '--incrementalFile', '.stryker/incremental-unit.json']
  : [];
const { status } = spawnSync(stryker, ['run', '--mutate', patterns.join(','), ...lanes], {
  cwd: root,
  stdio: 'inherit',
});
const known = fs
  .readFileSync(path.join(root, 'test', 'mutants.md'), 'utf8')
  .split('\n')
  .filter((line) => places.some((place) => line.startsWith(`- \`${place}`)));
if (known.length > 0) console.log(['No test can notice these (test/mutants.md):', ...known].join('\n'));
process.exit(status ?? 1);
