import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchChat, startBenchNvim } from './bench-chat.ts';
import { stallAndCpuOfNvim } from './stall.ts';
import { median } from './stats.ts';
import { type Figure, ms } from './table.ts';

const count = 100_000;
const perFolder = 50;
const words = [
  'prompt',
  'session',
  'render',
  'journal',
  'review',
  'agent',
  'buffer',
  'window',
  'parser',
  'cache',
];
/** What is typed after `@`, one letter after the other. */
const queries = ['render', 'cmpl', 'sesjour42', 'pkg/src', 'zzz', 'index', 'wndw', 'parser-cache'];
const keys = queries.reduce((sum, query) => sum + query.length + 1, 0);
/** As fast as a quick typist. */
const keyPauseMs = 60;

/** Completion of a mention in a large repository. */
export async function measureCompletion(): Promise<readonly Figure[]> {
  const chat = await startBenchNvim('plugin');
  try {
    makeRepository(chat.nvim.sandbox.cwd);
    await chat.open();
    return await measure(chat);
  } finally {
    await chat.end();
  }
}

async function measure(chat: BenchChat): Promise<readonly Figure[]> {
  const { nvim } = chat;
  const listing = await timeListing(chat);
  const first = await timeAnswer(chat, '@c');
  await nvim.lua(watchAnswers);
  const stall = await stallAndCpuOfNvim(nvim, async () => {
    for (const query of queries) await typeQuery(chat, query);
  });
  const answers = await nvim.lua<number[]>('return bench_answers.times');
  const longestPart = await nvim.lua<number>('return bench_answers.longest');
  return [
    { name: `completion among ${count} files: first listing`, aim: '', found: { plugin: ms(listing) } },
    row('  first answer after it', first, 50),
    row(`  ${answers.length} answers to ${keys} keys, median`, median(answers), 50),
    { name: '    longest', aim: '', found: { plugin: ms(Math.max(...answers)) } },
    row('  longest stall of Neovim meanwhile', stall.ms, 10),
    { name: '    of which Neovim computes', aim: '', found: { plugin: ms(stall.cpuMs) } },
    { name: '    of which handling an answer', aim: '', found: { plugin: ms(longestPart) } },
  ];
}

/** From the start of Insert mode until the files are known. */
async function timeListing({ nvim }: BenchChat): Promise<number> {
  const start = performance.now();
  await nvim.input('i');
  await nvim.waitFor(
    () =>
      nvim.lua("return #require('acp.host').request('completion.items', ...).items > 0", placeOf('@render')),
    'the listing',
  );
  return performance.now() - start;
}

/** A request as the language server sends it. */
async function timeAnswer({ nvim }: BenchChat, text: string): Promise<number> {
  const start = performance.now();
  await nvim.lua("return #require('acp.host').request('completion.items', ...).items", placeOf(text));
  return performance.now() - start;
}

async function typeQuery({ nvim }: BenchChat, query: string): Promise<void> {
  for (const key of ['@', ...query]) {
    await nvim.input(key);
    await delay(keyPauseMs);
  }
  await nvim.waitFor(() => nvim.lua('return bench_answers.waiting == 0'), 'the last answer');
  await nvim.input('<Esc>cc');
}

function placeOf(text: string): object {
  return { chat: 1, text, column: text.length };
}

// Notes how long each answer takes, and how long Neovim is busy with it.
const watchAnswers = `
  _G.bench_answers = { times = {}, waiting = 0, longest = 0 }
  local requests = require('acp.host.requests')
  local ask = requests.ask
  requests.ask = function(op, payload, callback)
    if op ~= 'completion.items' then
      return ask(op, payload, callback)
    end
    local start = vim.uv.hrtime()
    bench_answers.waiting = bench_answers.waiting + 1
    return ask(op, payload, function(...)
      local answered = vim.uv.hrtime()
      table.insert(bench_answers.times, (answered - start) / 1e6)
      bench_answers.waiting = bench_answers.waiting - 1
      callback(...)
      bench_answers.longest = math.max(bench_answers.longest, (vim.uv.hrtime() - answered) / 1e6)
    end)
  end`;

function makeRepository(folder: string): void {
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', args, { cwd: folder, input, stdio: ['pipe', 'pipe', 'ignore'] })
      .toString()
      .trim();
  git(['init', '-q']);
  const blob = git(['hash-object', '-w', '--stdin'], 'x\n');
  const names = Array.from({ length: count }, (_, file) => nameOf(file));
  for (const name of names) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), 'x\n');
  }
  git(['update-index', '--index-info'], names.map((name) => `100644 ${blob}\t${name}\n`).join(''));
}

function nameOf(file: number): string {
  const word = (at: number) => words[at % words.length]!;
  const folder = Math.floor(file / perFolder);
  const name = file % perFolder === 0 ? 'index' : `${word(file)}-${word(file * 7 + folder)}-${file}`;
  return `packages/pkg-${folder % 100}/src/${word(folder)}/${folder}/${name}.ts`;
}

function row(name: string, found: number, limit: number): Figure {
  return { name, aim: `<= ${limit} ms`, found: { plugin: ms(found) }, isMet: found <= limit };
}
