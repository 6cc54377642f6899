import v8 from 'node:v8';
import vm from 'node:vm';
import { decodeUpdate } from '../../src/acp/decode/update.ts';
import { emptySession, type SessionState } from '../../src/model/session.ts';
import { reduce } from '../../src/session/reducer/reducer.ts';
import { median } from './stats.ts';
import type { Figure } from './table.ts';

const chunks = 1_000_000;
const rounds = 5;
// All different, because equal strings would be stored once.
const textAt = (index: number) => `w${String(index).padStart(7, '0')} `;
const textOfMillion = chunks * textAt(0).length;

/** The cost of decoding chunks, without drawing: time per chunk, and memory beyond their text. */
export function measureNormalise(): readonly Figure[] {
  const speeds = Array.from({ length: rounds }, () => speedOf(200_000));
  return [speedFigure(speeds), ...memoryFigures()];
}

// Every string is a new one, as from a JSON parser.
function chunkAt(index: number): unknown {
  return JSON.parse(
    `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${textAt(index)}"}}`,
  );
}

function speedOf(count: number): number {
  const updates = Array.from({ length: count }, (_, index) => chunkAt(index));
  const state = emptySession('bench', 0);
  const begin = performance.now();
  for (const update of updates) reduce(state, decodeUpdate(update), 0);
  return (count / (performance.now() - begin)) * 1000;
}

function speedFigure(speeds: readonly number[]): Figure {
  const found = { plugin: `${Math.round(median(speeds))}/s` };
  return { name: 'chunks understood', aim: '>= 200000/s', found, isMet: median(speeds) >= 200_000 };
}

/** One long message, and one text that is replaced repeatedly. */
function memoryFigures(): readonly Figure[] {
  const kept = growthOf((state) => {
    for (let index = 0; index < chunks; index++) reduce(state, decodeUpdate(chunkAt(index)), 0);
  });
  const replaced = growthOf((state) => {
    for (let index = 0; index < chunks; index++) reduce(state, decodeUpdate(outputAt(index)), 0);
  });
  return [
    memoryFigure(`  memory after ${chunks} chunks of ${mb(textOfMillion)} in all`, kept, 1.5 * textOfMillion),
    memoryFigure(`  memory after ${chunks} pieces of a command's output`, replaced, 4 * 1024 * 1024),
  ];
}

function outputAt(index: number): unknown {
  const data = `${textAt(index)}\\n`;
  return JSON.parse(
    `{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"c","data":"${data}"}}}`,
  );
}

interface Growth {
  readonly heap: number;
  readonly rss: number;
  readonly before: NodeJS.MemoryUsage;
}

function growthOf(run: (state: SessionState) => void): Growth {
  const state = emptySession('bench', 0);
  collectGarbage();
  const before = process.memoryUsage();
  run(state);
  collectGarbage();
  const after = process.memoryUsage();
  // Keeps the value alive until the measurement.
  if (state.entries.length !== 1) throw new Error(`There are ${state.entries.length} entries`);
  return { heap: after.heapUsed - before.heapUsed, rss: after.rss - before.rss, before };
}

function memoryFigure(name: string, { heap, rss, before }: Growth, limit: number): Figure {
  const found = `heap ${mb(before.heapUsed)} + ${mb(heap)}, RSS ${mb(before.rss)} + ${mb(rss)}`;
  return { name, aim: `heap <= + ${mb(limit)}`, found: { plugin: found }, isMet: heap <= limit };
}

function mb(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  const gc = vm.runInNewContext('gc') as () => void;
  gc();
  gc();
}
