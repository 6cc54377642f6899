// Changes the code of some folders in small ways and runs the tests that reach it: `npm run mutate -- src/permissions`.
// What no test notices is listed at the end, and what of that no test can notice. A second run tries only what has changed
// since the first.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const places = process.argv.slice(2);

if (places.length === 0) {
  console.error('Usage: npm run mutate -- FOLDER-OR-FILE …, such as src/permissions');
  process.exit(2);
}

const patterns = places.map((place) =>
  fs.statSync(path.join(root, place)).isDirectory() ? `${place.replace(/\/$/, '')}/**/*.ts` : place,
);
const stryker = path.join(root, 'node_modules', '.bin', 'stryker');
const { status } = spawnSync(stryker, ['run', '--mutate', patterns.join(',')], {
  cwd: root,
  stdio: 'inherit',
});
const known = fs
  .readFileSync(path.join(root, 'test', 'mutants.md'), 'utf8')
  .split('\n')
  .filter((line) => places.some((place) => line.startsWith(`- \`${place}`)));
if (known.length > 0) console.log(['No test can notice these (test/mutants.md):', ...known].join('\n'));
process.exit(status ?? 1);
