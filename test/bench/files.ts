import fs from 'node:fs';
import path from 'node:path';
import { NvimEditor } from '../../src/nvim/editor.ts';
import { Files } from '../../src/workspace/files.ts';
import { hunksBetween } from '../../src/workspace/hunks.ts';
import { startNvim, type TestNvim } from '../support/nvim.ts';
import { median } from './stats.ts';
import { type Figure, ms } from './table.ts';

const reads = 1_000;
const shortLines = 5_000;
const longLines = 50_000;
const changes = 100;

const quiet = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

// Ticks in the main loop of Neovim; the longest time between two of them is how long it stood still.
const watch = `
  _G.gap = 0
  local last = vim.uv.hrtime()
  _G.ticker = vim.uv.new_timer()
  _G.ticker:start(0, 1, function()
    local now = vim.uv.hrtime()
    _G.gap = math.max(_G.gap, now - last)
    last = now
  end)`;

/** What reading and writing files costs that are open in Neovim. */
export async function measureFiles(): Promise<readonly Figure[]> {
  const nvim = await startNvim({
    files: { 'short.txt': numbered(shortLines), 'long.txt': numbered(longLines) },
  });
  try {
    const folder = await nvim.lua<string>('return vim.uv.cwd()');
    const consent = async () => true;
    const place = { chat: 1, cwd: folder, directories: [], consent, report: () => undefined };
    const files = new Files(place, new NvimEditor(nvim.client, quiet));
    return [
      ...(await readFigures(nvim, files, path.join(folder, 'short.txt'))),
      await writeFigure(nvim, files, path.join(folder, 'long.txt')),
      diffFigure(),
    ];
  } finally {
    await nvim.dispose();
  }
}

async function readFigures(nvim: TestNvim, files: Files, file: string): Promise<readonly Figure[]> {
  await nvim.command(`edit ${file}`);
  const whole = { path: file, line: 1, limit: undefined, isMissingEmpty: false };
  const times: number[] = [];
  const afterChange: number[] = [];
  for (let count = 0; count < 50; count += 1) {
    await nvim.command(`call setline(1, "${count}")`);
    afterChange.push(await timeOf(() => files.read(whole)));
  }
  const stall = await stallDuring(nvim, async () => {
    for (let count = 0; count < reads; count += 1) {
      times.push(await timeOf(() => files.read(whole)));
    }
  });
  return [
    {
      name: `read of an open buffer of ${shortLines} lines, median`,
      aim: '< 3 ms',
      found: { plugin: ms(median(times)) },
      isMet: median(times) < 3,
    },
    {
      name: '  after a change of it, median',
      aim: '< 3 ms',
      found: { plugin: ms(median(afterChange)) },
      isMet: median(afterChange) < 3,
    },
    {
      name: `  ${reads} of them: longest stall`,
      aim: '< 16 ms',
      found: { plugin: ms(stall) },
      isMet: stall < 16,
    },
  ];
}

async function writeFigure(nvim: TestNvim, files: Files, file: string): Promise<Figure> {
  await nvim.command(`edit ${file}`);
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  for (let count = 0; count < changes; count += 1) lines[count * (longLines / changes)] = `changed ${count}`;
  const stall = await stallDuring(nvim, () => files.write({ path: file, content: lines.join('\n') }));
  return {
    name: `write of ${changes} lines in a buffer of ${longLines}: longest stall`,
    aim: '< 50 ms',
    found: { plugin: ms(stall) },
    isMet: stall < 50,
  };
}

function diffFigure(): Figure {
  const before = numbered(longLines).split('\n');
  const after = before.map((line, row) => (row % 50 === 0 ? `changed ${row}` : line));
  hunksBetween(before.slice(0, 1_000), after.slice(0, 1_000));
  // What others compute on the machine meanwhile is not ours.
  const start = process.cpuUsage();
  hunksBetween(before, after);
  const { user, system } = process.cpuUsage(start);
  const took = (user + system) / 1_000;
  const name = `diff of ${longLines} lines, 1,000 of them changed: CPU of the host`;
  return { name, aim: '< 50 ms', found: { plugin: ms(took) }, isMet: took < 50 };
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

async function stallDuring(nvim: TestNvim, act: () => Promise<void>): Promise<number> {
  await nvim.lua(watch);
  await act();
  return (await nvim.lua<number>('_G.ticker:close() return _G.gap')) / 1e6;
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, row) => `line ${row} of the file that is measured\n`).join('');
}
