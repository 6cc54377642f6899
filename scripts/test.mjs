import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nvimFor } from './nvim.mjs';
import { build, installPackages, root } from './setup.mjs';

const help = `Usage: scripts/test [--long] [vitest options and test files]

Installs what is missing, builds, checks types, style, promises and Lua, and runs the tests.
It ends with the numbers of skipped, passed and failed tests and checks.

Lanes, each run alone with --project NAME:
  unit                   pure functions; \`npx vitest --project unit\` watches
  system                 git, files, threads, processes, fuzzers
  agent                  agent processes, pipes, sockets
  replay                 recorded traffic of agents
  nvim-0.10, nvim-0.12   a Neovim with a UI
  e2e-0.10, e2e-0.12     Neovim, host and agent as installed

Options:
  --long                 more runs of property tests, random walks and fuzzers
  --help                 this text

Environment:
  ACP_NVIM_0_10, ACP_NVIM_0_12   the Neovims to use instead of downloaded ones
  ACP_WIRE               a folder with more recordings for the replay lane
  ACP_REPLAY_SHOW        1 prints each replayed chat, "open" prints it unfolded
  ACP_INTERLEAVINGS      runs of nvim/interleaving (60; 600 with --long)
  ACP_TEST_SEED          seed of nvim/windows-random (1)
  ACP_FUZZ_CASES         messages of system/acp/connection/fuzz (100000; 1000000)
  ACP_FUZZ_FROM          its first seed (1)
  ACP_FUZZ_SEED          its only seed, to repeat a failure
  ACP_FUZZ_RUNS          runs of system/acp/dialects/fuzz (1500; 15000)
`;

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) process.stdout.write(help);
else run(args);

function run(words) {
  installPackages({ dev: true });
  build();
  for (const release of ['0.10', '0.12']) nvimFor(release);
  const checks = [
    ['types', bin('tsc'), ['--noEmit']],
    ['lint', bin('biome'), ['check', '--error-on-warnings', '.']],
    ['promises', process.execPath, ['scripts/floating-promises.mjs']],
    ['lua', process.execPath, ['scripts/lua.mjs', '--check']],
  ].map(([name, command, options]) => passes(name, command, options));
  const tests = runTests(words);
  const passed = tests.passed + checks.filter((isPassed) => isPassed).length;
  const failed = tests.failed + checks.filter((isPassed) => !isPassed).length;
  if (tests.skipped > 0) process.stdout.write(`${tests.skipped} skipped, for the reasons above\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 || tests.passed === 0 ? 1 : 0;
}

function bin(name) {
  return path.join(root, 'node_modules', '.bin', name);
}

function passes(name, command, options) {
  const { status, stdout, stderr } = spawnSync(command, options, { cwd: root, encoding: 'utf8' });
  process.stdout.write(status === 0 ? `✓ ${name}\n` : `✗ ${name}\n${stdout}${stderr}\n`);
  return status === 0;
}

function runTests(words) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-test-'));
  const report = path.join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const options = words.filter((word) => word !== '--long');
  const env = { ...process.env, ...(words.includes('--long') && { ACP_TEST_LONG: '1' }) };
  const { status } = spawnSync(bin('vitest'), ['run', ...reporters, ...options], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(fs.readFileSync(report, 'utf8'));
    // A file that cannot be loaded has no failed test, but fails the run; so do files left behind.
    const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests);
    return { passed: numPassedTests, failed, skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
