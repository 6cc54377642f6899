import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { TestNvim } from '../support/nvim/nvim.ts';

// Ticks in the main loop of Neovim; the longest interval is the longest stall. How much of it Neovim computed is what
// counts on a machine with other work.
const watch = `
  _G.gap, _G.cpu_gap = 0, 0
  local last, last_cpu = vim.uv.hrtime(), os.clock()
  _G.ticker = vim.uv.new_timer()
  _G.ticker:start(0, 1, function()
    local now, cpu = vim.uv.hrtime(), os.clock()
    _G.gap = math.max(_G.gap, now - last)
    _G.cpu_gap = math.max(_G.cpu_gap, cpu - last_cpu)
    last, last_cpu = now, cpu
  end)`;

export interface Stall {
  readonly ms: number;
  /** The longest time that Neovim computed without a pause. */
  readonly cpuMs: number;
}

/** The longest stall of Neovim. */
export async function stallAndCpuOfNvim(nvim: TestNvim, act: () => Promise<unknown>): Promise<Stall> {
  await nvim.lua(watch);
  await act();
  const [gap, cpu] = await nvim.lua<[number, number]>('_G.ticker:close() return { _G.gap, _G.cpu_gap }');
  return { ms: gap / 1e6, cpuMs: cpu * 1e3 };
}

/** The longest stall of Neovim in ms. */
export async function stallOfNvim(nvim: TestNvim, act: () => Promise<unknown>): Promise<number> {
  return (await stallAndCpuOfNvim(nvim, act)).ms;
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
