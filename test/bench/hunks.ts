import { computeHunksAsync } from '../../src/diff/hunk-cache.ts';
import { computeHunks } from '../../src/diff/hunks.ts';
import { diffLines } from '../../src/view/diff/diff-lines.ts';
import { ToolDiffCache } from '../../src/view/diff/tool-diff-cache.ts';
import { aSession, aToolCall } from '../support/builders.ts';
import { stallOfHost } from './stall.ts';
import { median, timeOf } from './stats.ts';
import { type Figure, ms } from './table.ts';
import { longLines, rewrites } from './texts.ts';

const rounds = 5;
const limit = 50;

/** Comparing long texts: how long the host is blocked, in the workspace and in the chat. */
export async function measureHunks(): Promise<readonly Figure[]> {
  const texts = rewrites.map(([name, before, after]) => [name, before.join('\n'), after.join('\n')] as const);
  const figures: Figure[] = [];
  for (const text of texts) figures.push(await hunking(...text));
  const line = 'some words, and more of them; '.repeat(35_000);
  const shown = [...texts, ['one line of 1 MB', line, `${line}!`] as const];
  return [...figures, ...shown.map((text) => drawing(...text))];
}

async function hunking(name: string, before: string, after: string): Promise<Figure> {
  const stalls: number[] = [];
  const waits: number[] = [];
  const costs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [one, other] = [before.split('\n'), after.split('\n')];
    stalls.push(await stallOfHost(async () => waits.push(await timeOf(() => computeHunksAsync(one, other)))));
    // The same in this process, as a reference for the current load.
    const cpu = process.cpuUsage();
    computeHunks(one, other);
    const { user, system } = process.cpuUsage(cpu);
    costs.push((user + system) / 1_000);
  }
  const rest = `found in ${ms(median(waits))}, CPU ${ms(median(costs))}`;
  return row(`hunks of ${longLines} lines, ${name}: host stands still`, stalls, rest);
}

function drawing(name: string, oldText: string, newText: string): Figure {
  const times = Array.from({ length: rounds }, (_, round) => {
    const content = [{ kind: 'diff' as const, path: `/shop/${round}.ts`, oldText, newText }];
    const [tool] = aSession(aToolCall({ toolKind: 'edit', content })).tools.values();
    const start = performance.now();
    diffLines(new ToolDiffCache().of(tool!), { cwd: '/shop', home: '/home' }, 400);
    return performance.now() - start;
  });
  return row(`diff in the chat, ${name}`, times);
}

function row(name: string, times: readonly number[], rest = ''): Figure {
  const worst = Math.max(...times);
  const found = `${ms(median(times))} (${ms(worst)})${rest && `, ${rest}`}`;
  return { name, aim: `< ${limit} ms`, found: { plugin: found }, isMet: median(times) < limit };
}
