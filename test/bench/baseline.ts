import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CopyStore } from '../../src/workspace/snapshots/copy-store.ts';
import { type BenchChat, startBenchNvim } from './bench-chat.ts';
import { commitAll } from './latency.ts';
import { stallOfHost, stallOfNvim } from './stall.ts';
import { median, timeOf } from './stats.ts';
import { type Figure, ms } from './table.ts';
import { timeKey } from './typing.ts';

const count = 20_000;
const folders = 200;
const rounds = 3;

interface Noting {
  /** From the prompt until it is sent, which waits for the snapshot. */
  readonly took: number;
  readonly stall: number;
  readonly keys: readonly number[];
}

/** The wait of a prompt for the snapshot of a large folder, while the user types. */
export async function measureBaseline(): Promise<readonly Figure[]> {
  return [...(await inRepository()), ...(await withoutOne())];
}

async function inRepository(): Promise<readonly Figure[]> {
  const [first, again, changed]: [Noting[], Noting[], Noting[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    await inFolder(async (chat, times) => {
      commitAll(chat.nvim.sandbox.cwd);
      await chat.open();
      first.push(await noting(chat, times));
      again.push(await noting(chat, times));
      for (let file = 0; file < 100; file += 1) {
        fs.writeFileSync(chat.nvim.sandbox.path(nameOf(file * 7)), 'changed\n');
      }
      changed.push(await noting(chat, times));
    });
  }
  return [
    ...rows(`baseline of ${count} files in a repository`, first, 1_000),
    ...rows('  again', again, 1_000),
    ...rows('  after 100 were changed as a turn ended', changed),
  ];
}

// The prompt is sent after two seconds in any case, so the snapshot is also measured alone.
async function withoutOne(): Promise<readonly Figure[]> {
  const notings: Noting[] = [];
  const took: number[] = [];
  const stalls: number[] = [];
  await inFolder(async (chat, times) => {
    await chat.open();
    notings.push(await noting(chat, times));
    const { cwd, root } = chat.nvim.sandbox;
    const copies = new CopyStore(cwd, path.join(root, 'copies'));
    stalls.push(await stallOfHost(async () => took.push(await timeOf(() => copies.takeSnapshot()))));
  });
  const fact = (name: string, found: readonly number[]) => ({
    name,
    aim: '',
    found: { plugin: ms(found[0]!) },
  });
  return [
    ...rows(`baseline of ${count} files without a repository: prompt waits`, notings),
    fact('    copied', took),
    fact('    longest stall of the host', stalls),
  ];
}

async function inFolder(act: (chat: BenchChat, times: string) => Promise<void>): Promise<void> {
  const files = Array.from({ length: count }, (_, file) => [nameOf(file), `${file}\n`.repeat(20)] as const);
  const times = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-bench-')), 'times');
  const chat = await startBenchNvim('plugin', {
    env: { FLOOD_TIMES: times },
    files: Object.fromEntries(files),
  });
  try {
    await act(chat, `${times}-prompt`);
  } finally {
    await chat.end();
    fs.rmSync(path.dirname(times), { recursive: true });
  }
}

async function noting(chat: BenchChat, times: string): Promise<Noting> {
  const { nvim } = chat;
  fs.rmSync(times, { force: true });
  const keys: number[] = [];
  let start = 0n;
  const stall = await stallOfNvim(nvim, async () => {
    start = process.hrtime.bigint();
    await nvim.lua('bench.chat.send(...)', 'flood 1 40');
    for (let typed = 0; !fs.existsSync(times); typed += 1) {
      keys.push(await timeKey(chat, typed % 2 === 0 ? 'x' : '<BS>'));
    }
  });
  const took = Number(BigInt(fs.readFileSync(times, 'utf8')) - start) / 1e6;
  await nvim.waitFor(() => nvim.lua('return bench.chat.is_over()'), 'the answer');
  return { took, stall, keys };
}

function rows(name: string, notings: readonly Noting[], maxTook?: number): readonly Figure[] {
  const row = (title: string, of: (noting: Noting) => number, limit?: number): Figure => {
    const values = notings.map(of);
    const found = { plugin: `${ms(median(values))} (${ms(Math.max(...values))})` };
    if (limit === undefined) return { name: title, aim: '', found };
    return { name: title, aim: `< ${limit} ms`, found, isMet: median(values) < limit };
  };
  return [
    row(name, ({ took }) => took, maxTook),
    row('    longest stall of Neovim', ({ stall }) => stall, 16),
    row('    key until it is on the screen, longest', ({ keys }) => Math.max(...keys), 16),
  ];
}

function nameOf(file: number): string {
  return path.join(`${file % folders}`, `${file}.txt`);
}
