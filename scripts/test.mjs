import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nvimFor } from './nvim.mjs';
import { build, installPackages, root } from './setup.mjs';

const help = `Usage: scripts/test [--long] [vitest options and test files]

Installs what is missing, builds, checks types, style, promises and Lua, and runs the tests.
A few failed tests run again, alone, at most twice; those that pass then are named as unstable and do not fail the run.
It ends with the numbers of skipped, passed and failed tests and checks.

Lanes, each run alone with --project NAME:
  unit                   pure functions; \`npx vitest --project unit\` watches
  system                 git, files, threads, processes, fuzzers
  agent                  agent processes, pipes, sockets
  replay                 recorded traffic of agents
  nvim-0.10, nvim-0.12   a Neovim with a UI
  e2e-0.10, e2e-0.12     Neovim, host and agent as installed
  faults-0.12            faults in agents, Neovim, the host and the disk; faults-0.10 with --long

Options:
  --long                 more runs of property tests, random walks and fuzzers, and every test on both releases
  --help                 this text

Environment:
  ACP_NVIM_0_10, ACP_NVIM_0_12   the Neovims to use instead of downloaded ones
  ACP_WIRE               a folder with more recordings for the replay lane
  ACP_REPLAY_SHOW        1 prints each replayed chat, "open" prints it unfolded
  ACP_INTERLEAVINGS      runs of nvim/interleaving (25; 600 with --long)
  ACP_PROPERTY_SEED      seed of property tests (1; random with --long)
  ACP_TEST_SEED          seed of nvim/windows-random (1)
  ACP_FUZZ_CASES         messages of system/acp/connection/fuzz (50000; 1000000)
  ACP_FUZZ_FROM          its first seed (1)
  ACP_FUZZ_SEED          its only seed, to repeat a failure
  ACP_FAULT_SEED         the only seed of faults/host-killed, to repeat a failure
  ACP_SOAK_SECONDS       length of faults/soak-walk (60; 600 with --long, and by \`npm run soak\`)
  ACP_SOAK_SEED          its seed (1; random with --long)
  ACP_FUZZ_RUNS          runs of system/acp/dialects/fuzz (1500; 15000)
`;

/** More failures than this are not caused by the load of the machine. */
const maxUnstable = 8;
const maxReruns = 2;

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
  const options = words.filter((word) => word !== '--long');
  const env = { ...process.env, ...(words.includes('--long') && { ACP_TEST_LONG: '1' }) };
  let result = runVitest(options, env);
  const isFew = result.failures.length <= maxUnstable;
  for (let run = 0; run < maxReruns && isFew && canRunAgain(result); run += 1) {
    result = { ...result, ...runAgain(result, options, env) };
  }
  return result;
}

/** A file that cannot be loaded, or a process left behind, is no failed test that could run again. */
function canRunAgain({ failed, failures }) {
  return failures.length > 0 && failed === failures.length;
}

/**
 * Runs the tests that failed once more, without others beside them. One that passes now depends on the load of the
 * machine: the end of the run names it, but it does not fail the run.
 */
function runAgain({ failures, passed }, options, env) {
  process.stdout.write(`\nRunning ${failures.length} failed tests again, alone …\n`);
  const names = failures.map(({ name }) => `^ ?${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  const files = [...new Set(failures.map(({ file }) => file))];
  const isOption = (word, i) => word.startsWith('-') || options[i - 1] === '--project';
  const kept = options.filter(isOption);
  const again = runVitest([...kept, '--maxWorkers=1', '-t', names.join('|'), ...files], env);
  const isIn = (tests, { file, name }) => tests.some((other) => other.file === file && other.name === name);
  // A test that did not run again has not passed.
  const isUnstable = (test) => isIn(again.passes, test) && !isIn(again.failures, test);
  const unstable = again.failed > again.failures.length ? [] : failures.filter(isUnstable);
  for (const { file, name } of unstable) {
    process.stdout.write(`Unstable: failed beside other tests, passed alone: ${file} > ${name}\n`);
  }
  const left = failures.filter((test) => !unstable.includes(test));
  return { passed: passed + unstable.length, failed: left.length, failures: left };
}

function runVitest(options, env) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-test-'));
  const report = path.join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(bin('vitest'), ['run', ...reporters, ...options], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  try {
    return readReport(JSON.parse(fs.readFileSync(report, 'utf8')), status);
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [], passes: [] };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function readReport({ numPassedTests, numFailedTests, numPendingTests, testResults }, status) {
  const testsWith = (wanted) =>
    testResults.flatMap(({ name: file, assertionResults }) =>
      assertionResults
        .filter(({ status: found }) => found === wanted)
        .map(({ fullName }) => ({ file: path.relative(root, file), name: fullName })),
    );
  // A file that cannot be loaded has no failed test, but fails the run; so do files left behind.
  const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests);
  return {
    ...{ passed: numPassedTests, failed, skipped: numPendingTests },
    ...{ failures: testsWith('failed'), passes: testsWith('passed') },
  };
}
