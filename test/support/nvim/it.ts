import fs from 'node:fs';
import { afterAll, it as base, expect } from 'vitest';
import { type NvimOptions, startNvim, type TestNvim } from './nvim.ts';

interface NvimFixtures {
  /** A Neovim with default options. */
  readonly nvim: TestNvim;
  /** Starts a Neovim that ends with the test. */
  readonly start: (options?: NvimOptions) => Promise<TestNvim>;
}

const folders: string[] = [];

/** `it` for tests with a Neovim: it ends with the test, shows its screen if that failed, and leaves nothing behind. */
export const it = base.extend<NvimFixtures>({
  start: async ({ task }, use) => {
    const started: TestNvim[] = [];
    await use(async (options) => {
      const nvim = await startNvim(options);
      started.push(nvim);
      folders.push(nvim.sandbox.root);
      return nvim;
    });
    if (task.result?.state === 'fail') for (const nvim of started) console.error(await nvim.report());
    await disposeAll(started);
  },
  nvim: async ({ start }, use) => {
    await use(await start());
  },
});

// The latest first, because it may write into folders of an earlier one. All of them, even if one fails.
async function disposeAll(started: readonly TestNvim[]): Promise<void> {
  const failures: unknown[] = [];
  for (const nvim of started.toReversed()) {
    await nvim.dispose().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

// A host that writes after its end would make them again.
afterAll(() => {
  const left = folders.filter((folder) => fs.existsSync(folder));
  expect(left, 'folders that were written to after their Neovim ended').toEqual([]);
});
