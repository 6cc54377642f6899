import { openBenchChat, type Sample } from './bench-chat.ts';
import { median } from './stats.ts';
import type { Figure, Implementation } from './table.ts';

const chunks = 100_000;
const parts = 10;
const rounds = 3;

type Cost = 'at' | 'cpu';

/** Whether the last chunk of a long answer costs as much as the first. */
export async function measureLength(): Promise<readonly Figure[]> {
  const plugin: (readonly Sample[])[] = [];
  const bare: (readonly Sample[])[] = [];
  for (let round = 0; round < rounds; round++) {
    plugin.push(await longTurn('plugin'));
    bare.push(await longTurn('bare-node'));
  }
  const row = (name: string, cost: Cost): Figure => ({
    name,
    aim: '<= 1.1 × the first',
    found: { plugin: describe(plugin, cost), 'bare-node': describe(bare, cost) },
    isMet: growthOf(plugin, cost) <= 1.1,
  });
  return [
    row(`${chunks} chunks: time per chunk, last tenth`, 'at'),
    row('  Neovim CPU per chunk, last tenth', 'cpu'),
  ];
}

async function longTurn(implementation: Implementation): Promise<readonly Sample[]> {
  const chat = await openBenchChat(implementation);
  try {
    return (await chat.say(`flood ${chunks} 40`)).samples;
  } finally {
    await chat.end();
  }
}

function growthOf(turns: readonly (readonly Sample[])[], cost: Cost): number {
  return median(turns.map((samples) => costOf(samples, cost, parts - 1) / costOf(samples, cost, 0)));
}

function describe(turns: readonly (readonly Sample[])[], cost: Cost): string {
  const part = (index: number) => median(turns.map((samples) => costOf(samples, cost, index))).toFixed(1);
  return `${growthOf(turns, cost).toFixed(2)} (${part(0)} → ${part(parts - 1)} µs)`;
}

/** µs per chunk in one of ten parts. The first part starts with the first text, not with the prompt. */
function costOf(samples: readonly Sample[], cost: Cost, part: number): number {
  const [, begin] = samples;
  const total = samples.at(-1)!.lines - begin!.lines;
  const at = (share: number) => valueAt(samples, begin!.lines + total * share, cost);
  return ((at((part + 1) / parts) - at(part / parts)) * 1000) / (chunks / parts);
}

// Text arrives in frames, so most borders between parts lie within a frame.
function valueAt(samples: readonly Sample[], lines: number, cost: Cost): number {
  const found = samples.findIndex((sample) => sample.lines >= lines);
  const index = Math.max(2, found);
  const [before, after] = [samples[index - 1]!, samples[index]!];
  const share = (lines - before.lines) / Math.max(1, after.lines - before.lines);
  return before[cost] + share * (after[cost] - before[cost]);
}
