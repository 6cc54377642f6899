import { afterAll, afterEach, beforeAll } from 'vitest';
import { type NvimOptions, startNvim, type TestNvim } from '../nvim/nvim.ts';

/** One Neovim for the tests of a file. After a test that failed, the others have a new one. */
export function shareNvim(options: NvimOptions): () => TestNvim {
  let nvim: TestNvim | undefined;
  beforeAll(async () => {
    nvim = await startNvim(options);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    console.error(await nvim?.report());
    await nvim?.dispose();
    nvim = await startNvim(options);
  });
  afterAll(() => nvim?.dispose());
  return () => nvim!;
}
