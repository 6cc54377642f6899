import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { GitTrees } from '../../src/workspace/changes/git-trees.ts';
import { hunksOf } from '../../src/workspace/changes/review-model.ts';
import { median } from './stats.ts';
import { type Figure, ms } from './table.ts';

const files = 20_000;
const folders = 200;
const rounds = 5;

/** Noting what a large repository holds, and the hunks of a long file. */
export async function measureBaseline(): Promise<readonly Figure[]> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-bench-'));
  try {
    const repository = makeRepository(path.join(dir, 'repository'));
    return [...(await notings(repository, dir)), ...hunkings()];
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

async function notings(repository: string, dir: string): Promise<readonly Figure[]> {
  const [first, again, changed]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const state = path.join(dir, `session-${round}`);
    let trees: GitTrees | undefined;
    first.push(
      await timed(async () => {
        trees = await GitTrees.open(repository, state);
        await trees!.keep(await trees!.take());
      }),
    );
    again.push(await timed(() => trees!.take()));
    const before = await trees!.take();
    for (let file = 0; file < 100; file += 1)
      fs.writeFileSync(place(repository, file * 7), `changed ${round}\n`);
    changed.push(await timed(async () => trees!.changes(before, await trees!.take())));
  }
  return [
    row(`baseline of ${files} files`, '< 1000 ms', first, 1_000),
    row('  again', '', again),
    row('  again, after 100 were changed', '', changed),
  ];
}

function hunkings(): readonly Figure[] {
  const before = Array.from({ length: 50_000 }, (_, line) => `line ${line % 5_000}\n`);
  const alter = (every: number) => before.map((line, at) => (at % every === 0 ? `changed ${at}\n` : line));
  return [
    [100, 500],
    [2_000, 25],
  ].map(([count, every]) => {
    const now = alter(every!);
    const times = Array.from({ length: rounds }, () => {
      const start = performance.now();
      hunksOf({ bases: { session: before, turn: before }, now }, 'session');
      return performance.now() - start;
    });
    return row(
      `hunks of 50,000 lines, ${count} changed`,
      count === 100 ? '< 50 ms' : '',
      times,
      count === 100 ? 50 : undefined,
    );
  });
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

function makeRepository(folder: string): string {
  for (let part = 0; part < folders; part += 1)
    fs.mkdirSync(path.join(folder, `${part}`), { recursive: true });
  for (let file = 0; file < files; file += 1) fs.writeFileSync(place(folder, file), `${file}\n`.repeat(20));
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-q', '-m', 'first');
  return fs.realpathSync(folder);
}

function place(folder: string, file: number): string {
  return path.join(folder, `${file % folders}`, `${file}.txt`);
}

function row(name: string, aim: string, times: readonly number[], limit?: number): Figure {
  const found = median([...times]);
  return { name, aim, found: { plugin: ms(found) }, ...(limit !== undefined && { isMet: found < limit }) };
}
