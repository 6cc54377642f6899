import { setTimeout as delay } from 'node:timers/promises';
import { startNvim, type TestNvim } from '../support/nvim/nvim.ts';
import { type BenchChat, openBenchChat } from './bench-chat.ts';
import { Echo } from './echo.ts';
import { percentile } from './stats.ts';
import { cells, type Figure, type Implementation, implementations, ms } from './table.ts';

const transcript = 20_000;
const chunks = 500;
const rate = 100;
const pauseMs = 3;
const keysAlone = 500;

interface Times {
  readonly keys: readonly number[];
  readonly echoes: readonly number[];
}

interface Typing extends Times {
  readonly cpuPercent: number;
}

/** CPU time, and the latency of typing, below a long transcript while a fast agent writes. */
export async function measureTyping(): Promise<readonly Figure[]> {
  const found = {} as Record<Implementation, Typing>;
  for (const implementation of implementations) found[implementation] = await typingOf(implementation);
  return [cpuFigure(found), keyFigure(found, await typeAlone())];
}

/** The same keys in a Neovim without a chat, to which nobody else sends anything. */
async function typeAlone(): Promise<readonly number[]> {
  const nvim = await startNvim({ columns: 160, lines: 45 });
  try {
    await nvim.input('ihello');
    const keys: number[] = [];
    for (let count = 0; count < keysAlone; count++) {
      await delay(2 * pauseMs);
      keys.push(await timeKey({ nvim }, count % 2 === 0 ? 'x' : '<BS>'));
    }
    return keys;
  } finally {
    await nvim.dispose();
  }
}

async function typingOf(implementation: Implementation): Promise<Typing> {
  const chat = await openBenchChat(implementation);
  const echo = new Echo();
  try {
    await chat.say(`flood ${transcript} 40`);
    const { ms, cpuMs } = await chat.say(`drip ${chunks} ${rate}`);
    const drip = chat.say(`drip ${chunks} ${rate}`);
    return { cpuPercent: (100 * cpuMs) / ms, ...(await typeDuring(drip, chat, echo)) };
  } finally {
    echo.dispose();
    await chat.end();
  }
}

// A letter and its removal alternate, so that the line keeps its length.
async function typeDuring(turn: Promise<unknown>, chat: BenchChat, echo: Echo): Promise<Times> {
  let isOver = false;
  void turn.finally(() => {
    isOver = true;
  });
  const times = { keys: [] as number[], echoes: [] as number[] };
  await chat.nvim.input('hello');
  for (let count = 0; !isOver; count++) {
    await delay(pauseMs);
    times.keys.push(await timeKey(chat, count % 2 === 0 ? 'x' : '<BS>'));
    await delay(pauseMs);
    times.echoes.push(await echo.time());
  }
  await turn;
  return times;
}

/** From a key to the new position of the cursor on the screen, in ms. */
export async function timeKey({ nvim }: { readonly nvim: TestNvim }, key: string): Promise<number> {
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

function cpuFigure(found: Record<Implementation, Typing>): Figure {
  return {
    name: `${rate} chunks/s below ${transcript}: Neovim CPU`,
    aim: '<= 8 %',
    found: cells((implementation) => `${found[implementation].cpuPercent.toFixed(1)} %`),
    isMet: found.plugin.cpuPercent <= 8,
  };
}

// Two processes take turns as in an echo, which shows what the machine can do at that time.
function keyFigure(found: Record<Implementation, Typing>, alone: readonly number[]): Figure {
  const p99 = (times: readonly number[]) => percentile(times, 99);
  const { keys, echoes } = found.plugin;
  return {
    name: '  key until it is on the screen, p99 (p50)',
    aim: `<= 1.5 ms (an echo takes ${ms(p99(echoes))}, a key in Neovim alone ${ms(p99(alone))})`,
    found: cells(
      (implementation) =>
        `${ms(p99(found[implementation].keys))} (${ms(percentile(found[implementation].keys, 50))})`,
    ),
    isMet: p99(keys) <= 1.5,
  };
}
