import fs from 'node:fs';
import { startBenchNvim } from './bench-chat.ts';
import { percentile } from './stats.ts';
import { type Figure, ms } from './table.ts';

const bigBytes = 100_000_000;
const floodSeconds = 3;
const sampleMs = 50;

interface Run {
  readonly ms: number;
  /** The delay of a timer in Neovim. */
  readonly delays: readonly number[];
  /** The growth of the host in MB: maximum and final. */
  readonly grown: { readonly most: number; readonly end: number };
}

/** Commands with unlimited output, in terminals of the plugin and of Neovim. */
export async function measureTerminal(): Promise<readonly Figure[]> {
  const cat = `head -c ${bigBytes} big.txt`;
  const yes = `timeout ${floodSeconds} yes`;
  const ours = { cat: await runOurs(cat), yes: await runOurs(yes) };
  const theirs = { cat: await runTheirs(cat), yes: await runTheirs(yes) };
  return [
    speedFigure(ours.cat, theirs.cat),
    ...stallFigures(`yes for ${floodSeconds} s`, ours.yes, theirs.yes),
    ...stallFigures('100 MB', ours.cat, theirs.cat),
  ];
}

function speedFigure(ours: Run, theirs: Run): Figure {
  const speed = (run: Run) => `${(bigBytes / 1e3 / run.ms).toFixed(1)} MB/s`;
  return {
    name: 'terminal: 100 MB of text',
    aim: `>= :terminal (${speed(theirs)})`,
    found: { plugin: speed(ours) },
    isMet: ours.ms <= theirs.ms,
  };
}

function stallFigures(name: string, ours: Run, theirs: Run): readonly Figure[] {
  const p99 = ({ delays }: Run) => percentile(delays, 99);
  return [
    {
      name: `  ${name}: 5 ms timer in Neovim, p99 delay`,
      aim: `< 16 ms (:terminal ${ms(p99(theirs))})`,
      found: { plugin: `${ms(p99(ours))} (${ms(Math.max(...ours.delays))})` },
      isMet: p99(ours) < 16,
    },
    {
      name: `  ${name}: host grows by at most (in the end)`,
      aim: '< 50 MB',
      found: { plugin: `${ours.grown.most.toFixed(1)} MB (${ours.grown.end.toFixed(1)})` },
      isMet: ours.grown.most < 50,
    },
  ];
}

async function runOurs(line: string): Promise<Run> {
  const { nvim } = await prepared();
  try {
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    // The first command loads modules that later ones reuse.
    await nvim.command('AcpRun true');
    const isOver = (count: number) =>
      nvim.lua<boolean>(`return #vim.fn.getbufinfo() > 0 and vim.iter(vim.api.nvim_list_bufs()):filter(function(buf)
        return (vim.b[buf].acp_terminal or ''):find(' · e') ~= nil
      end):fold(0, function(sum) return sum + 1 end) >= ${count}`);
    await nvim.waitFor(() => isOver(1), 'the first command', 20_000);
    const pid = await nvim.lua<number>("return require('acp.host').request('host.status', {}).pid");
    const memory = watchMemory(pid);
    await nvim.lua('bench.start_timer()');
    const start = performance.now();
    await nvim.command(`AcpRun ${line}`);
    await nvim.waitFor(() => isOver(2), 'the command to end', 120_000);
    const took = performance.now() - start;
    const delays = await nvim.lua<number[]>('return bench.stop_timer()');
    return { ms: took, delays, grown: memory() };
  } finally {
    await nvim.dispose();
  }
}

async function runTheirs(line: string): Promise<Run> {
  const { nvim } = await prepared();
  try {
    await nvim.command('new');
    await nvim.lua(
      "vim.api.nvim_create_autocmd('TermClose', { callback = function() _G.is_over = true end })",
    );
    await nvim.lua('bench.start_timer()');
    const start = performance.now();
    await nvim.command(`terminal ${line}`);
    await nvim.waitFor(() => nvim.lua<boolean>('return _G.is_over == true'), 'the command to end', 120_000);
    const took = performance.now() - start;
    const delays = await nvim.lua<number[]>('return bench.stop_timer()');
    return { ms: took, delays, grown: { most: 0, end: 0 } };
  } finally {
    await nvim.dispose();
  }
}

async function prepared() {
  const chat = await startBenchNvim('plugin');
  const line = `${'some words of a text '.repeat(4)}\n`;
  const file = chat.nvim.sandbox.path('big.txt');
  fs.writeFileSync(file, line.repeat(Math.ceil(bigBytes / line.length)));
  return chat;
}

/** Polls the memory of a process until the result is requested. */
function watchMemory(pid: number): () => Run['grown'] {
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const before = rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, rss());
  }, sampleMs);
  return () => {
    clearInterval(timer);
    return { most: Math.max(most, rss()) - before, end: rss() - before };
  };
}
