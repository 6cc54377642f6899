import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nvimFor } from './nvim.mjs';
import { build, installPackages, root } from './setup.mjs';

installPackages({ dev: true });
build();
for (const release of ['0.10', '0.12']) nvimFor(release);

const bin = (name) => path.join(root, 'node_modules', '.bin', name);
const failedChecks = [
  ['types', bin('tsc'), ['--noEmit']],
  ['lint', bin('biome'), ['check', '--error-on-warnings', '.']],
  ['lua', process.execPath, ['scripts/lua.mjs', '--check']],
].filter(([name, command, args]) => !passes(name, command, args));

const { passed, failed } = runTests(process.argv.slice(2));
process.stdout.write(`${passed + 3 - failedChecks.length} passed, ${failed + failedChecks.length} failed\n`);
process.exitCode = failed + failedChecks.length > 0 || passed === 0 ? 1 : 0;

function passes(name, command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  process.stdout.write(status === 0 ? `✓ ${name}\n` : `✗ ${name}\n${stdout}${stderr}\n`);
  return status === 0;
}

function runTests(args) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-test-'));
  const report = path.join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(bin('vitest'), ['run', ...reporters, ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(fs.readFileSync(report, 'utf8'));
    // A file that could not be loaded has no failed test of its own, yet the run has failed.
    return { passed: numPassedTests, failed: status === 0 ? numFailedTests : Math.max(1, numFailedTests) };
  } catch {
    return { passed: 0, failed: 1 };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
