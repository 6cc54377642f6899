import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchChat, startBenchNvim } from './bench-chat.ts';
import { keepCode } from './kept-code.ts';
import { rounds } from './rounds.ts';
import { median, percentile } from './stats.ts';
import { cells, type Figure, type Implementation, implementations, ms } from './table.ts';
import { numbered } from './texts.ts';

const laterPrompts = 3;
const reads = 200;
/** A person types for at least this long before sending. */
const typingMs = 250;
const files = {
  'buffer.txt': numbered(540).join('\n'),
  'file.txt': numbered(3_400).join('\n'),
  ...Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`src/${index % 7}/${index}.ts`, `${index}\n`]),
  ),
};

/** The times of one Neovim, in ms. */
interface Run {
  readonly returned: number;
  readonly ready: number;
  readonly first: number;
  readonly later: number;
  readonly bufferReads: readonly number[];
  readonly fileReads: readonly number[];
}

type Runs = Readonly<Record<Implementation, readonly Run[]>>;

/** How long the user waits for a session and for the first words, and an agent for a file. */
export async function measureLatency(): Promise<readonly Figure[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-bench-'));
  try {
    await keepCode(environment(path.join(folder, 'none')), timeFirstText);
    const plain = await measureIn(folder, false);
    const repository = await measureIn(folder, true);
    return [...figuresOf('', plain, false), ...figuresOf(' in a repository', repository, true)];
  } finally {
    fs.rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

async function measureIn(folder: string, isRepository: boolean): Promise<Runs> {
  const runs: Record<Implementation, Run[]> = { plugin: [], 'bare-node': [], 'bare-lua': [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const implementation of implementations) {
      const times = path.join(folder, `${implementation}-${round}-${isRepository}`);
      runs[implementation].push(await runOnce(implementation, times, isRepository));
    }
  }
  return runs;
}

function environment(times: string) {
  return { FLOOD_TIMES: times, XDG_CACHE_HOME: path.join(path.dirname(times), 'cache') };
}

async function runOnce(implementation: Implementation, times: string, isRepository: boolean): Promise<Run> {
  const chat = await startBenchNvim(implementation, { env: environment(times), files });
  try {
    const { cwd } = chat.nvim.sandbox;
    if (isRepository) commitAll(cwd);
    await chat.nvim.command(`edit ${path.join(cwd, 'buffer.txt')}`);
    const { returned, ready } = await timeOpening(chat, times);
    const first = await timeFirstText(chat);
    const later: number[] = [];
    for (let count = 0; count < laterPrompts; count += 1) later.push(await timeFirstText(chat));
    return {
      ...{ returned, ready, first, later: median(later) },
      bufferReads: await timeReads(chat, times, path.join(cwd, 'buffer.txt')),
      fileReads: await timeReads(chat, times, path.join(cwd, 'file.txt')),
    };
  } finally {
    await chat.end();
  }
}

// The agent writes down when it answered `session/new`. All processes read the same monotonic clock.
async function timeOpening({ nvim }: BenchChat, times: string): Promise<Pick<Run, 'returned' | 'ready'>> {
  const { at, returned } = await nvim.lua<{ at: string; returned: number }>('return bench.time_open()');
  const opened = await nvim.waitFor(() => fs.readFileSync(times, 'utf8'), 'the session');
  await nvim.waitFor(() => nvim.lua('return bench.chat.is_ready()'), 'the chat to be ready');
  return { returned, ready: Number(BigInt(opened) - BigInt(at)) / 1e6 };
}

async function timeFirstText({ nvim }: BenchChat): Promise<number> {
  await nvim.input('x');
  await delay(typingMs);
  await nvim.lua("bench.time_first_text('begin 3 50')");
  await nvim.waitFor(() => nvim.lua('return bench.first_text ~= nil and bench.chat.is_over()'), 'the answer');
  return nvim.lua<number>('return bench.first_text');
}

// The agent measures.
async function timeReads({ nvim }: BenchChat, times: string, file: string): Promise<readonly number[]> {
  const found = `${times}-reads`;
  fs.rmSync(found, { force: true });
  await nvim.lua('bench.chat.send(...)', `read ${reads} ${file}`);
  const text = await nvim.waitFor(() => fs.existsSync(found) && fs.readFileSync(found, 'utf8'), 'the reads');
  await nvim.waitFor(() => nvim.lua('return bench.chat.is_over()'), 'the end of the turn');
  return JSON.parse(text) as number[];
}

function figuresOf(place: string, runs: Runs, isRepository: boolean): readonly Figure[] {
  const overLimit = (name: string, of: (run: Run) => number, over: number): Figure => {
    const value = (implementation: Implementation) => median(runs[implementation].map(of));
    const limit = value('bare-node') + over;
    return {
      name: name + place,
      aim: `<= bare-node + ${over} ms`,
      found: cells(
        (implementation) => `${ms(value(implementation))} (${ms(worst(runs[implementation].map(of)))})`,
      ),
      isMet: value('plugin') <= limit,
    };
  };
  const timesLimit = (name: string, of: (run: Run) => number): Figure => {
    const value = (implementation: Implementation) => median(runs[implementation].map(of));
    return {
      name: name + place,
      aim: `<= 1.2 × bare-node (${(value('plugin') / value('bare-node')).toFixed(2)})`,
      found: cells((implementation) => ms(value(implementation))),
      isMet: value('plugin') <= 1.2 * value('bare-node'),
    };
  };
  return [
    {
      name: `command returns${place}`,
      aim: '',
      found: cells((each) => ms(median(runs[each].map(({ returned }) => returned)))),
    },
    overLimit('command to open session', ({ ready }) => ready, 15),
    overLimit('prompt to first text, first', ({ first }) => first, isRepository ? 15 : 8),
    overLimit('prompt to first text, later', ({ later }) => later, isRepository ? 15 : 5),
    timesLimit('read of an open buffer of 20 KB, p50', ({ bufferReads }) => median(bufferReads)),
    timesLimit('read of an open buffer of 20 KB, p99', ({ bufferReads }) => percentile(bufferReads, 99)),
    timesLimit('read of a file of 126 KB, p50', ({ fileReads }) => median(fileReads)),
    timesLimit('read of a file of 126 KB, p99', ({ fileReads }) => percentile(fileReads, 99)),
  ];
}

function worst(values: readonly number[]): number {
  return Math.max(...values);
}

/** Makes a repository of a folder. */
export function commitAll(folder: string): void {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' });
  git('init', '-q');
  // Keeps git from collecting garbage during the measurement.
  git('config', 'gc.auto', '0');
  git('add', '-A');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-q', '-m', 'first');
}
