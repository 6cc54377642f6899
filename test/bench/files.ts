import path from 'node:path';
import { realClock } from '../../src/clock.ts';
import { NvimEditor } from '../../src/nvim/editor.ts';
import { Changes } from '../../src/workspace/changes/changes.ts';
import { Files } from '../../src/workspace/files.ts';
import { OpenBuffers } from '../../src/workspace/open-buffers.ts';
import { startNvim, type TestNvim } from '../support/nvim.ts';
import { stallOfHost, stallOfNvim } from './stall.ts';
import { median, timeOf } from './stats.ts';
import { type Figure, ms } from './table.ts';
import { longLines, numbered, rewrites } from './texts.ts';

const reads = 1_000;
const rounds = 3;
const shortLines = 5_000;

const quiet = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** What reading and writing files costs that are open in Neovim. */
export async function measureFiles(): Promise<readonly Figure[]> {
  const nvim = await startNvim({
    files: {
      'short.txt': numbered(shortLines).join('\n'),
      'long.txt': `${numbered(longLines).join('\n')}\n`,
    },
  });
  const editor = new NvimEditor(nvim.client, quiet);
  const { cwd, root } = nvim.sandbox;
  const state = path.join(root, 'changes', 'bench');
  const buffers = new OpenBuffers(editor);
  const changes = new Changes({ folders: [cwd], state, editor, clock: realClock, log: quiet, buffers });
  try {
    const consent = async () => true;
    const place = { chat: 1, cwd, directories: [], consent, report: () => undefined };
    const files = new Files(place, editor, buffers, changes);
    await changes.beginTurn('measure');
    return [
      ...(await readFigures(nvim, files, path.join(cwd, 'short.txt'))),
      ...(await writeFigures(nvim, files, path.join(cwd, 'long.txt'))),
    ];
  } finally {
    changes.dispose();
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
  const stall = await stallOfNvim(nvim, async () => {
    for (let count = 0; count < reads; count += 1) {
      times.push(await timeOf(() => files.read(whole)));
    }
  });
  return [
    figureOf(`read of an open buffer of ${shortLines} lines, median`, median(times), 3),
    figureOf('  after a change of it, median', median(afterChange), 3),
    figureOf(`  ${reads} of them: longest stall`, stall, 16),
  ];
}

async function writeFigures(nvim: TestNvim, files: Files, file: string): Promise<readonly Figure[]> {
  await nvim.command(`edit ${file}`);
  await files.read({ path: file, line: 1, limit: undefined, isMissingEmpty: false });
  const figures: Figure[] = [];
  for (const [name, before, after] of rewrites) {
    const [stalls, hostStalls]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      await files.write({ path: file, content: textOf(before) });
      const write = () => files.write({ path: file, content: textOf(after) });
      const watched = async () => hostStalls.push(await stallOfHost(write));
      stalls.push(await stallOfNvim(nvim, watched));
    }
    figures.push(
      figureOf(`write to a buffer of ${longLines} lines, ${name}: longest stall`, median(stalls), 50),
      figureOf('  of the host', median(hostStalls), 50),
    );
  }
  return figures;
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function figureOf(name: string, found: number, limit: number): Figure {
  return { name, aim: `< ${limit} ms`, found: { plugin: ms(found) }, isMet: found < limit };
}
