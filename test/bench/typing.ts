import { setTimeout as delay } from 'node:timers/promises';
import { type Contest, openContest } from './contest.ts';
import { Echo } from './echo.ts';
import { percentile } from './stats.ts';
import { cells, type Figure, ms, type Rival, rivals } from './table.ts';

const transcript = 20_000;
const chunks = 500;
const rate = 100;
const pauseMs = 3;

interface Times {
  readonly keys: readonly number[];
  readonly echoes: readonly number[];
}

interface Typing extends Times {
  readonly cpuPercent: number;
}

/** Below a long transcript, at the pace of a fast agent: what it costs, and what is felt when typing. */
export async function measureTyping(): Promise<readonly Figure[]> {
  const found = {} as Record<Rival, Typing>;
  for (const rival of rivals) found[rival] = await typingOf(rival);
  return [cpuFigure(found), keyFigure(found)];
}

async function typingOf(rival: Rival): Promise<Typing> {
  const contest = await openContest(rival);
  const echo = new Echo();
  try {
    await contest.say(`flood ${transcript} 40`, transcript);
    const { ms, cpuMs } = await contest.say(`drip ${chunks} ${rate}`, chunks);
    const drip = contest.say(`drip ${chunks} ${rate}`, chunks);
    return { cpuPercent: (100 * cpuMs) / ms, ...(await typeDuring(drip, contest, echo)) };
  } finally {
    echo.dispose();
    await contest.end();
  }
}

// A letter and its removal in turn, so that the line stays as it is.
async function typeDuring(turn: Promise<unknown>, contest: Contest, echo: Echo): Promise<Times> {
  let isOver = false;
  void turn.finally(() => {
    isOver = true;
  });
  const times = { keys: [] as number[], echoes: [] as number[] };
  await contest.nvim.input('hello');
  for (let count = 0; !isOver; count++) {
    await delay(pauseMs);
    times.keys.push(await timeKey(contest, count % 2 === 0 ? 'x' : '<BS>'));
    await delay(pauseMs);
    times.echoes.push(await echo.time());
  }
  await turn;
  return times;
}

/** From a key to where the cursor is after it on the screen, in ms. */
export async function timeKey({ nvim }: Contest, key: string): Promise<number> {
  const before = nvim.screen.cursor.col;
  const start = performance.now();
  const shown = new Promise<number>((resolve) => {
    const listening = nvim.screen.onFlush(() => {
      if (nvim.screen.cursor.col === before) return;
      listening.dispose();
      resolve(performance.now() - start);
    });
  });
  await nvim.input(key);
  return shown;
}

function cpuFigure(found: Record<Rival, Typing>): Figure {
  return {
    name: `${rate} chunks/s below ${transcript}: Neovim CPU`,
    aim: '<= 12 %',
    found: cells((rival) => `${found[rival].cpuPercent.toFixed(1)} %`),
    isMet: found.plugin.cpuPercent <= 12,
  };
}

// Two processes take turns here as they do in an echo, which alone takes milliseconds on a shared machine.
function keyFigure(found: Record<Rival, Typing>): Figure {
  const p99 = (times: readonly number[]) => percentile(times, 99);
  const { keys, echoes } = found.plugin;
  return {
    name: '  key until it is on the screen, p99 (p50)',
    aim: `<= 2 ms over an echo (${ms(p99(echoes))})`,
    found: cells((rival) => `${ms(p99(found[rival].keys))} (${ms(percentile(found[rival].keys, 50))})`),
    isMet: p99(keys) - p99(echoes) <= 2,
  };
}
