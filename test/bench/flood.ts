import { type BenchChat, openBenchChat } from './bench-chat.ts';
import { rounds } from './rounds.ts';
import { longestGap, median, percentile } from './stats.ts';
import { cells, type Figure, type Implementation, implementations, ms } from './table.ts';

const chunks = 20_000;

interface Flood {
  readonly chunksPerSecond: number;
  readonly cpuMs: number;
  readonly hostCpuMs: number;
  readonly delays: readonly number[];
  readonly longestPing: number;
  readonly longestStill: number;
}

type Floods = Readonly<Record<Implementation, readonly Flood[]>>;

/** 20,000 chunks at full speed: throughput, smoothness and CPU time. */
export async function measureFlood(): Promise<readonly Figure[]> {
  const floods: Record<Implementation, Flood[]> = { plugin: [], 'bare-node': [], 'bare-lua': [] };
  for (let round = 0; round < rounds; round++) {
    for (const implementation of implementations)
      floods[implementation].push(await floodOnce(implementation));
  }
  return figuresOf(floods);
}

// Watching has a cost, so throughput and CPU time are measured in separate runs.
async function floodOnce(implementation: Implementation): Promise<Flood> {
  const { ms, cpuMs, hostCpuMs } = await withChat(implementation, (chat) => chat.say(`flood ${chunks} 40`));
  const chunksPerSecond = (chunks / ms) * 1000;
  return { chunksPerSecond, cpuMs, hostCpuMs, ...(await withChat(implementation, watchFlood)) };
}

async function watchFlood(chat: BenchChat) {
  const { nvim } = chat;
  const stopPing = await chat.ping();
  const flushes = [performance.now()];
  const listening = nvim.screen.onFlush(() => flushes.push(performance.now()));
  await nvim.lua('bench.start_timer()');
  await chat.say(`flood ${chunks} 40`);
  flushes.push(performance.now());
  const delays = await nvim.lua<number[]>('return bench.stop_timer()');
  listening.dispose();
  return {
    delays,
    longestPing: Math.max(...(await stopPing())),
    longestStill: longestGap(flushes),
  };
}

async function withChat<T>(implementation: Implementation, run: (chat: BenchChat) => Promise<T>): Promise<T> {
  const chat = await openBenchChat(implementation);
  try {
    return await run(chat);
  } finally {
    await chat.end();
  }
}

function figuresOf(floods: Floods): readonly Figure[] {
  const row = (name: string, of: (flood: Flood) => number, limit: number): Figure => {
    const values = (implementation: Implementation) => floods[implementation].map(of);
    const isMet = median(values('plugin')) <= limit;
    return {
      name,
      aim: `<= ${limit} ms`,
      found: cells((implementation) => describe(values(implementation))),
      isMet,
    };
  };
  return [
    speedFigure(floods),
    cpuFigure(floods, '  Neovim CPU', ({ cpuMs }) => cpuMs, 3),
    cpuFigure(floods, '  CPU of the host', ({ hostCpuMs }) => hostCpuMs, 1.8),
    row('  5 ms timer in Neovim, longest delay', ({ delays }) => Math.max(...delays), 16),
    delayFigure(floods),
    row('  ping from outside, longest', ({ longestPing }) => longestPing, 16),
    row('  longest time without a frame', ({ longestStill }) => longestStill, 40),
  ];
}

function speedFigure(floods: Floods): Figure {
  const speeds = (implementation: Implementation) =>
    floods[implementation].map(({ chunksPerSecond }) => chunksPerSecond);
  const ratio = median(speeds('plugin')) / median(speeds('bare-node'));
  const isAboveLua = speeds('plugin').every((speed, round) => speed > speeds('bare-lua')[round]!);
  return {
    name: `${chunks} chunks × 40`,
    aim: `>= 0.6 × bare-node (${ratio.toFixed(2)}), always > bare-lua`,
    found: cells((implementation) => `${Math.round(median(speeds(implementation)))}/s`),
    isMet: ratio >= 0.6 && isAboveLua,
  };
}

function cpuFigure(floods: Floods, name: string, of: (flood: Flood) => number, limit: number): Figure {
  const costs = (implementation: Implementation) => floods[implementation].map(of);
  const ratio = median(costs('plugin')) / median(costs('bare-node'));
  return {
    name,
    aim: `<= ${limit} × bare-node (${ratio.toFixed(1)})`,
    found: cells((implementation) => describe(costs(implementation))),
    isMet: ratio <= limit,
  };
}

// One run has a few dozen ticks, too few for a percentile.
function delayFigure(floods: Floods): Figure {
  const p99 = (implementation: Implementation) =>
    percentile(
      floods[implementation].flatMap(({ delays }) => delays),
      99,
    );
  return {
    name: '  5 ms timer in Neovim, p99 delay',
    aim: '<= 10 ms',
    found: cells((implementation) => ms(p99(implementation))),
    isMet: p99('plugin') <= 10,
  };
}

// The median run counts; the worst one shows how much other load there was.
function describe(values: readonly number[]): string {
  return `${ms(median(values))} (${ms(Math.max(...values))})`;
}
