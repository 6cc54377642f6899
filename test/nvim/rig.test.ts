import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startNvim, type TestNvim } from '../support/nvim.ts';
import { isAlive, processesWith } from '../support/processes.ts';

describe('a Neovim under test', () => {
  let nvim: TestNvim;

  beforeEach(async () => {
    const t = performance.now();
    nvim = await startNvim();
    console.log(performance.now() - t);
  });
  afterEach(() => nvim.dispose());

  it('shows what is typed', async () => {
    await nvim.input('ihello 世界<Esc>');
    await nvim.waitForScreen('hello 世界');
    console.log(await nvim.report());
    expect(await nvim.lines()).toEqual(['hello 世界']);
  });

  it('leaves no process', async () => {
    await nvim.lua("vim.fn.jobstart({'sleep', '1000'})");
    expect(processesWith(nvim.sandbox.marker)).toHaveLength(2);
    await nvim.dispose();
    expect(isAlive(nvim.pid)).toBe(false);
  });
});
