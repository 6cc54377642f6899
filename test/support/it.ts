import { it as base } from 'vitest';
import { type NvimOptions, startNvim, type TestNvim } from './nvim.ts';

interface NvimFixtures {
  /** A Neovim with nothing special about it. */
  readonly nvim: TestNvim;
  /** Starts a Neovim that ends with the test. */
  readonly start: (options?: NvimOptions) => Promise<TestNvim>;
}

/** `it` for tests with a Neovim: it ends with the test, shows its screen if that failed, and leaves nothing behind. */
export const it = base.extend<NvimFixtures>({
  start: async ({ task }, use) => {
    const started: TestNvim[] = [];
    await use(async (options) => {
      const nvim = await startNvim(options);
      started.push(nvim);
      return nvim;
    });
    if (task.result?.state === 'fail') for (const nvim of started) console.error(await nvim.report());
    await Promise.all(started.map((nvim) => nvim.dispose()));
  },
  nvim: async ({ start }, use) => {
    await use(await start());
  },
});
