import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type NvimOptions, startNvim, type TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { cpuOf } from './process-figures.ts';
import { profiled, profileEnvironment } from './profile.ts';
import type { Implementation } from './table.ts';

export const benchDir = path.join(repoRoot, 'test', 'bench');
export const floodAgent = path.join(benchDir, 'flood-agent.mjs');

const floodTimeout = 30_000;
// Each question costs Neovim time.
const pollMs = 1;

export interface Sample {
  readonly at: number;
  readonly lines: number;
  readonly cpu: number;
}

/** The measurements of one answer. */
export interface Turn {
  readonly ms: number;
  /** CPU time of Neovim during the answer. */
  readonly cpuMs: number;
  /** CPU time of the process that Neovim started; that is the agent itself in a client in Lua. */
  readonly hostCpuMs: number;
  /** The growth of the transcript. */
  readonly samples: readonly Sample[];
}

/** A Neovim for one of the compared implementations, with a screen attached and no chat open. */
export async function startBenchNvim(
  implementation: Implementation,
  options: NvimOptions = {},
): Promise<BenchChat> {
  const init = `
    vim.g.acp = { agents = { flood = { command = { 'node', ${JSON.stringify(floodAgent)} } } } }
    _G.bench = dofile(${JSON.stringify(path.join(benchDir, 'probe.lua'))})
    bench.chat = dofile(${JSON.stringify(path.join(benchDir, `${implementation}.lua`))})
  `;
  const env = { ...profileEnvironment, ...options.env };
  return new BenchChat(await startNvim({ columns: 160, lines: 45, init, ...options, env }));
}

/** The same with an open chat that is ready for a prompt. */
export async function openBenchChat(
  implementation: Implementation,
  options: NvimOptions = {},
): Promise<BenchChat> {
  const chat = await startBenchNvim(implementation, options);
  await chat.open();
  return chat;
}

export class BenchChat {
  readonly nvim: TestNvim;
  private prompts = 0;

  constructor(nvim: TestNvim) {
    this.nvim = nvim;
  }

  /** Opens the chat and waits until it is ready for a prompt. */
  async open(): Promise<void> {
    await this.nvim.lua('bench.chat.open()');
    await this.nvim.waitFor(() => this.nvim.lua('return bench.chat.is_ready()'), 'the agent to be ready');
  }

  /** Sends a prompt, and waits until the last words of the answer are in the buffer and the turn is over. */
  async say(prompt: string): Promise<Turn> {
    this.prompts += 1;
    await this.nvim.lua('bench.watch(...)', `end of flood ${this.prompts}`);
    const host = await this.hostPid();
    const figures = await profiled(host, () => this.answerTo(prompt, host));
    return { ...figures, samples: await this.nvim.lua<Sample[]>('return bench.samples') };
  }

  private async answerTo(prompt: string, host: number): Promise<Omit<Turn, 'samples'>> {
    const complete = this.textComplete();
    const [cpu, hostCpu] = [await this.cpu(), cpuOf(host)];
    const start = performance.now();
    await this.nvim.lua('bench.chat.send(...)', prompt);
    await complete;
    while (!(await this.nvim.lua('return bench.chat.is_over()'))) await delay(pollMs);
    const ms = performance.now() - start;
    const hostCpuMs = cpuOf(host) - hostCpu;
    return { ms, hostCpuMs, cpuMs: (await this.cpu()) - cpu };
  }

  /** The process that Neovim started first: the host, or the agent of a client in Lua. */
  hostPid(): Promise<number> {
    return this.nvim.lua<number>('return math.min(unpack(vim.api.nvim_get_proc_children(vim.fn.getpid())))');
  }

  cpu(): Promise<number> {
    return this.nvim.lua<number>('return bench.cpu()');
  }

  /** Starts pinging Neovim; the returned function stops it and returns the round trips in ms. */
  async ping(): Promise<() => Promise<number[]>> {
    const address = await this.nvim.lua<string>('return vim.v.servername');
    const worker = new Worker(path.join(benchDir, 'ping.mjs'), { workerData: { address } });
    await once(worker, 'online');
    return async () => {
      worker.postMessage('stop');
      const [roundTrips] = await once(worker, 'message');
      return roundTrips;
    };
  }

  end(): Promise<void> {
    return this.nvim.dispose();
  }

  private textComplete(): Promise<void> {
    const { client } = this.nvim;
    return new Promise((resolve, reject) => {
      const late = setTimeout(async () => reject(new Error(await this.nvim.report())), floodTimeout);
      const listen = (method: string) => {
        if (method !== 'bench_text_complete') return;
        client.off('notification', listen);
        clearTimeout(late);
        resolve();
      };
      client.on('notification', listen);
    });
  }
}
