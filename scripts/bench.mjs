// Measures the plugin and two references, and prints a table:
//   npm run bench [startup|opening|latency|flood|edits|typing|memory|length|files|hunks|normalise|terminal|baseline|completion|attachments|transcript …]
//   npm run bench growth   1,000,000 chunks, which takes longer
//   npm run bench -- --rounds 15 flood   measures flood, latency or edits 15 times instead of 5
//   npm run bench -- --profile edits   writes a CPU profile of the host for each answer, and leaves a build with readable names
// Fails only if it cannot measure, never because the machine is slow.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { shellText } from './shell-text.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dir = path.join(root, 'dist', 'bench');

const { values: options, positionals: parts } = parseArgs({
  options: { profile: { type: 'boolean' }, rounds: { type: 'string' } },
  allowPositionals: true,
});
const isProfiled = options.profile ?? false;
if (options.rounds) process.env.ACP_BENCH_ROUNDS = options.rounds;
const build = [path.join(root, 'scripts', 'build.mjs'), ...(isProfiled ? ['--readable'] : [])];
execFileSync(process.execPath, build, { stdio: 'inherit' });

// A plain program, because a test runner would distort the measurements.
const bundle = await rolldown({
  input: path.join(root, 'test', 'bench', 'main.ts'),
  platform: 'node',
  external: ['node-pty'],
  plugins: [shellText],
  logLevel: 'warn',
});
await bundle.write({ dir, format: 'esm', entryFileNames: 'bench.mjs', chunkFileNames: '[name].mjs' });
await bundle.close();
fs.copyFileSync(path.join(root, 'dist', 'diff-worker.js'), path.join(dir, 'diff-worker.js'));

if (isProfiled) {
  const profiles = path.join(dir, 'profiles');
  fs.rmSync(profiles, { recursive: true, force: true });
  fs.mkdirSync(profiles);
  process.env.ACP_BENCH_PROFILES = profiles;
}
const { bench } = await import(path.join(dir, 'bench.mjs'));
await bench(parts);
if (isProfiled)
  process.stdout.write(`profiles: ${path.relative(process.cwd(), process.env.ACP_BENCH_PROFILES)}\n`);
