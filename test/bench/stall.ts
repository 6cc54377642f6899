import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { TestNvim } from '../support/nvim/nvim.ts';

// Ticks in the main loop of Neovim; the longest interval is the longest stall.
const watch = `
  _G.gap = 0
  local last = vim.uv.hrtime()
  _G.ticker = vim.uv.new_timer()
  _G.ticker:start(0, 1, function()
    local now = vim.uv.hrtime()
    _G.gap = math.max(_G.gap, now - last)
    last = now
  end)`;

/** The longest stall of Neovim in ms. */
export async function stallOfNvim(nvim: TestNvim, act: () => Promise<unknown>): Promise<number> {
  await nvim.lua(watch);
  await act();
  return (await nvim.lua<number>('_G.ticker:close() return _G.gap')) / 1e6;
}

/** The longest stall in ms of this thread, which runs the host here. */
export async function stallOfHost(act: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  // The histogram starts at its first tick.
  await ticks();
  await act();
  await ticks();
  delays.disable();
  return delays.max / 1e6;
}

function ticks(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
