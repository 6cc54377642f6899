import { defineConfig } from 'vitest/config';
import { shellText } from './scripts/shell-text.mjs';

const lane = (name: string, options: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout: 60_000, ...options },
});

// What depends on the host and the agent, and hardly on Neovim: the default run has it on one release, `--long` on both.
const onNewestOnly = {
  nvim: [
    'agent-config',
    'agents',
    'api',
    'attention',
    'config',
    'conformance',
    'diff',
    'docs',
    'dropped-paths',
    'export',
    'extensions',
    'external-changes',
    'failures',
    'files',
    'files-edges',
    'forget',
    'history',
    'idle',
    'interleaving',
    'kept-transcripts',
    'login',
    'operator',
    'permissions',
    'profiles',
    'queue',
    'references',
    'registry',
    'remote',
    'report',
    'restore',
    'review-random',
    'round-trips',
    'rules',
    'search',
    'sent-along',
    'session-setup',
    'sessions',
    'settings',
    'steering',
    'templates',
    'traffic',
    'trees',
    'turns',
    'unsaved',
    'worktree',
    'yanked-lines',
  ],
  e2e: ['frozen-host', 'install', 'life', 'terminals'],
  faults: [],
};
const isLong = process.env.ACP_TEST_LONG === '1';

// Lanes that talk to Neovim run once on each of the two releases.
const onNvim = (name: 'nvim' | 'e2e' | 'faults', release: string) => ({
  extends: true as const,
  test: {
    name: `${name}-${release}`,
    include: [`test/${name}/**/*.test.ts`],
    exclude:
      isLong || release === '0.12' ? [] : onNewestOnly[name].map((file) => `test/${name}/${file}.test.ts`),
    env: { ACP_TEST_NVIM: release },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

// Node reads these certificates whenever it starts, which takes longer than the rest of its start. Tests start thousands of
// Node processes and talk only to this machine.
delete process.env.NODE_EXTRA_CA_CERTS;

export default defineConfig({
  plugins: [shellText],
  test: {
    experimental: { fsModuleCache: true },
    // Most tests wait for processes; vitest would use one worker on a machine with two cores.
    maxWorkers: 3,
    sequence: { groupOrder: 1 },
    globalSetup: './test/support/system/own-temp.ts',
    projects: [
      // Unit tests are pure, so they can share the modules of a thread. They run first.
      lane('unit', { pool: 'threads', isolate: false, maxWorkers: 2, sequence: { groupOrder: 0 } }),
      lane('system'),
      lane('agent'),
      lane('replay'),
      ...['0.10', '0.12'].flatMap((release) => [onNvim('nvim', release), onNvim('e2e', release)]),
      // Faults concern the host, the agents and the disk more than the release of Neovim.
      ...(isLong ? ['0.10', '0.12'] : ['0.12']).map((release) => onNvim('faults', release)),
    ],
  },
});
