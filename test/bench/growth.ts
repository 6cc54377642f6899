import { openBenchChat, type Turn } from './bench-chat.ts';
import { memoryOf } from './process-figures.ts';
import { median } from './stats.ts';
import type { Figure, Implementation } from './table.ts';

const turns = 50;
const chunks = 20_000;
/** The first turns warm up. */
const warmUp = 5;
const compared = 10;

interface Growth {
  readonly turns: readonly Turn[];
  readonly memory: { readonly host: number; readonly nvim: number };
}

/** Whether the last of 1,000,000 chunks costs as much as the first, and what the memory grows to. */
export async function measureGrowth(): Promise<readonly Figure[]> {
  const plugin = await grow('plugin');
  const bare = await grow('bare-node');
  const row = (name: string, cost: (turn: Turn) => number): Figure => ({
    name,
    aim: '<= 1.1 × the first turns',
    found: { plugin: describe(plugin, cost), 'bare-node': describe(bare, cost) },
    isMet: ratioOf(plugin, cost) <= 1.1,
  });
  const memory = (of: keyof Growth['memory']): Figure['found'] => ({
    plugin: `${plugin.memory[of].toFixed(0)} MB`,
    'bare-node': `${bare.memory[of].toFixed(0)} MB`,
  });
  return [
    row(`${turns} turns of ${chunks} chunks: time per chunk in the last ${compared}`, ({ ms }) => ms),
    row('  CPU of Neovim per chunk', ({ cpuMs }) => cpuMs),
    row('  CPU of the host per chunk', ({ hostCpuMs }) => hostCpuMs),
    { name: '  memory of Neovim at the end', aim: '', found: memory('nvim') },
    { name: '  memory of the host at the end', aim: '', found: memory('host') },
  ];
}

async function grow(implementation: Implementation): Promise<Growth> {
  const chat = await openBenchChat(implementation);
  try {
    const all: Turn[] = [];
    for (let turn = 0; turn < turns; turn += 1) all.push(await chat.say(`flood ${chunks} 40`));
    const memory = { host: memoryOf(await chat.hostPid()), nvim: memoryOf(chat.nvim.pid) };
    return { turns: all, memory };
  } finally {
    await chat.end();
  }
}

function costs({ turns: all }: Growth, cost: (turn: Turn) => number): readonly [number, number] {
  const perChunk = (some: readonly Turn[]) => (median(some.map(cost)) * 1000) / chunks;
  return [perChunk(all.slice(warmUp, warmUp + compared)), perChunk(all.slice(-compared))];
}

function ratioOf(growth: Growth, cost: (turn: Turn) => number): number {
  const [first, last] = costs(growth, cost);
  return last / first;
}

function describe(growth: Growth, cost: (turn: Turn) => number): string {
  const [first, last] = costs(growth, cost);
  return `${ratioOf(growth, cost).toFixed(2)} (${first.toFixed(1)} → ${last.toFixed(1)} µs)`;
}
