// Measures the plugin beside two references and prints a table: `npm run bench [startup|opening|flood|typing|length|files|hunks|normalise|terminal|baseline …]`.
// Fails only when it can't measure: a slow machine is no defect.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dir = path.join(root, 'dist', 'bench');

execFileSync(process.execPath, [path.join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' });

// A plain program, because a test runner around it would take part in what is measured.
const bundle = await rolldown({
  input: path.join(root, 'test', 'bench', 'main.ts'),
  platform: 'node',
  external: ['node-pty'],
  logLevel: 'warn',
});
await bundle.write({ dir, format: 'esm', entryFileNames: 'bench.mjs', chunkFileNames: '[name].mjs' });
await bundle.close();
fs.copyFileSync(path.join(root, 'dist', 'hunk-worker.js'), path.join(dir, 'hunk-worker.js'));

const { bench } = await import(path.join(dir, 'bench.mjs'));
await bench(process.argv.slice(2));
