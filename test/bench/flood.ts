import { type Contest, openContest } from './contest.ts';
import { longestGap, median, percentile } from './stats.ts';
import { cells, type Figure, ms, type Rival, rivals } from './table.ts';

const chunks = 20_000;
const rounds = 7;

interface Flood {
  readonly chunksPerSecond: number;
  readonly cpuMs: number;
  readonly delays: readonly number[];
  readonly longestPing: number;
  readonly longestStill: number;
}

type Floods = Readonly<Record<Rival, readonly Flood[]>>;

/** 20,000 chunks at full speed: how fast, how smooth, at what cost. */
export async function measureFlood(): Promise<readonly Figure[]> {
  const floods: Record<Rival, Flood[]> = { plugin: [], 'bare-node': [], 'bare-lua': [] };
  for (let round = 0; round < rounds; round++) {
    for (const rival of rivals) floods[rival].push(await floodOnce(rival));
  }
  return figuresOf(floods);
}

// Watching costs something, so speed and cost are taken from a flood of their own.
async function floodOnce(rival: Rival): Promise<Flood> {
  const { ms, cpuMs } = await inContest(rival, (contest) => contest.say(`flood ${chunks} 40`, chunks));
  return { chunksPerSecond: (chunks / ms) * 1000, cpuMs, ...(await inContest(rival, watchFlood)) };
}

async function watchFlood(contest: Contest) {
  const { nvim } = contest;
  const stopPing = await contest.ping();
  const flushes = [performance.now()];
  const listening = nvim.screen.onFlush(() => flushes.push(performance.now()));
  await nvim.lua('bench.start_timer()');
  await contest.say(`flood ${chunks} 40`, chunks);
  flushes.push(performance.now());
  const delays = await nvim.lua<number[]>('return bench.stop_timer()');
  listening.dispose();
  return {
    delays,
    longestPing: Math.max(...(await stopPing())),
    longestStill: longestGap(flushes),
  };
}

async function inContest<T>(rival: Rival, run: (contest: Contest) => Promise<T>): Promise<T> {
  const contest = await openContest(rival);
  try {
    return await run(contest);
  } finally {
    await contest.end();
  }
}

function figuresOf(floods: Floods): readonly Figure[] {
  const row = (name: string, of: (flood: Flood) => number, limit: number): Figure => {
    const values = (rival: Rival) => floods[rival].map(of);
    const isMet = median(values('plugin')) <= limit;
    return { name, aim: `<= ${limit} ms`, found: cells((rival) => describe(values(rival))), isMet };
  };
  return [
    speedFigure(floods),
    costFigure(floods),
    row('  5 ms timer in Neovim, longest delay', ({ delays }) => Math.max(...delays), 16),
    delayFigure(floods),
    row('  ping from outside, longest', ({ longestPing }) => longestPing, 16),
    row('  longest time without a frame', ({ longestStill }) => longestStill, 70),
  ];
}

function speedFigure(floods: Floods): Figure {
  const speed = (rival: Rival) => median(floods[rival].map(({ chunksPerSecond }) => chunksPerSecond));
  const ratio = speed('plugin') / speed('bare-node');
  return {
    name: `${chunks} chunks × 40`,
    aim: `>= 0.6 × bare-node (${ratio.toFixed(2)})`,
    found: cells((rival) => `${Math.round(speed(rival))}/s`),
    isMet: ratio >= 0.6,
  };
}

function costFigure(floods: Floods): Figure {
  const costs = (rival: Rival) => floods[rival].map(({ cpuMs }) => cpuMs);
  const ratio = median(costs('plugin')) / median(costs('bare-node'));
  return {
    name: '  Neovim CPU',
    aim: `<= 4 × bare-node (${ratio.toFixed(1)})`,
    found: cells((rival) => describe(costs(rival))),
    isMet: ratio <= 4,
  };
}

// One flood is over after a few dozen ticks, too few for a percentile.
function delayFigure(floods: Floods): Figure {
  const p99 = (rival: Rival) =>
    percentile(
      floods[rival].flatMap(({ delays }) => delays),
      99,
    );
  return {
    name: '  5 ms timer in Neovim, p99 delay',
    aim: '<= 10 ms',
    found: cells((rival) => ms(p99(rival))),
    isMet: p99('plugin') <= 10,
  };
}

// The typical round decides; the worst one shows how much the machine disturbed.
function describe(values: readonly number[]): string {
  return `${ms(median(values))} (${ms(Math.max(...values))})`;
}
