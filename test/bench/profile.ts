import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { repoRoot } from '../support/nvim/nvim-process.ts';

const hook = path.join(repoRoot, 'test', 'bench', 'profiled-node.cjs');
/** The folder that `--profile` names. */
const folder = process.env.ACP_BENCH_PROFILES;

/** What lets the processes that Neovim starts write profiles. */
export const profileEnvironment: Readonly<Record<string, string>> = folder
  ? { NODE_OPTIONS: `--require ${hook}`, ACP_BENCH_PROFILES: folder }
  : {};

const counts = new Map<number, number>();

/** Writes a CPU profile of what a Node process does meanwhile, if that was asked for. */
export async function profiled<T>(pid: number, act: () => Promise<T>): Promise<T> {
  if (!folder) return act();
  const count = (counts.get(pid) ?? 0) + 1;
  counts.set(pid, count);
  await toggle(pid, 'started');
  fs.rmSync(path.join(folder, `${pid}-started`));
  try {
    return await act();
  } finally {
    await toggle(pid, `${count}.cpuprofile`);
  }
}

async function toggle(pid: number, written: string): Promise<void> {
  process.kill(pid, 'SIGUSR2');
  while (!fs.existsSync(path.join(folder!, `${pid}-${written}`))) await delay(10);
}
