import { defineConfig } from 'vitest/config';

const lane = (name: string, options: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...options },
});

// Lanes that talk to Neovim run once on each of the two releases.
const onNvim = (name: string, release: string) => ({
  extends: true as const,
  test: {
    name: `${name}-${release}`,
    include: [`test/${name}/**/*.test.ts`],
    env: { ACP_TEST_NVIM: release },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});

export default defineConfig({
  test: {
    // Most tests wait for processes; vitest would use one worker on a machine with two cores.
    maxWorkers: 3,
    globalSetup: './test/support/own-temp.ts',
    projects: [
      // A busy machine is no reason to fail.
      lane('unit', { testTimeout: 30_000 }),
      lane('agent', { testTimeout: 20_000 }),
      lane('replay', { testTimeout: 60_000 }),
      ...['0.10', '0.12'].flatMap((release) => [onNvim('nvim', release), onNvim('e2e', release)]),
    ],
  },
});
