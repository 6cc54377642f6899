import { setTimeout as delay } from 'node:timers/promises';
import { openBenchChat } from './bench-chat.ts';
import { memoryOf } from './process-figures.ts';
import { median } from './stats.ts';
import type { Figure, Implementation } from './table.ts';

const rounds = 3;
const settleMs = 1_000;
const limit = 65;

/** The memory of the host while a session is open and nothing happens. */
export async function measureMemory(): Promise<readonly Figure[]> {
  const [plugin, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    plugin.push(await idleMemory('plugin'));
    bare.push(await idleMemory('bare-node'));
  }
  const found = { plugin: `${median(plugin).toFixed(0)} MB`, 'bare-node': `${median(bare).toFixed(0)} MB` };
  return [{ name: 'memory of the host, idle', aim: `<= ${limit} MB`, found, isMet: median(plugin) <= limit }];
}

async function idleMemory(implementation: Implementation): Promise<number> {
  const chat = await openBenchChat(implementation);
  try {
    await delay(settleMs);
    return memoryOf(await chat.hostPid());
  } finally {
    await chat.end();
  }
}
