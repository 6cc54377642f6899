import path from 'node:path';
import { NvimEditor } from '../../src/nvim/editor.ts';
import { realClock } from '../../src/system/clock.ts';
import type { AgentFiles } from '../../src/workspace/files/agent-files.ts';
import { openSessionFiles, SharedFiles } from '../../src/workspace/session-files.ts';
import { startNvim, type TestNvim } from '../support/nvim/nvim.ts';
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

/** The cost of reading and writing files that are open in Neovim. */
export async function measureFiles(): Promise<readonly Figure[]> {
  const nvim = await startNvim({
    files: {
      'short.txt': numbered(shortLines).join('\n'),
      'long.txt': `${numbered(longLines).join('\n')}\n`,
    },
  });
  const editor = new NvimEditor(nvim.client, quiet);
  const { cwd, root } = nvim.sandbox;
  const changesFolder = path.join(root, 'changes', 'bench');
  const consent = async () => true;
  const options = { chat: 1, cwd, directories: [], changesFolder, consent, report: () => undefined };
  const parts = { editor, clock: realClock, log: quiet, shared: new SharedFiles(editor) };
  const { files, changes } = openSessionFiles(options, parts);
  try {
    await changes!.beginTurn('measure');
    return [
      ...(await readFigures(nvim, files, path.join(cwd, 'short.txt'))),
      ...(await writeFigures(nvim, files, path.join(cwd, 'long.txt'))),
    ];
  } finally {
    await changes!.end();
    await nvim.dispose();
  }
}

async function readFigures(nvim: TestNvim, files: AgentFiles, file: string): Promise<readonly Figure[]> {
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

async function writeFigures(nvim: TestNvim, files: AgentFiles, file: string): Promise<readonly Figure[]> {
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
