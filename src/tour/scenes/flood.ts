import { countFrom } from '../prompt.ts';
import type { Stage } from '../stage.ts';

const chunkWidth = 40;
const usualFlood = 1_000;
const usualDrops = 50;
const filler = 'the quick brown fox jumps over the lazy dog ';

/** A long answer in chunks of 40 characters. Two of them are a line of 80, its newline included. */
export function flood(stage: Stage, rest: string): Promise<void> {
  return stage.pour(countFrom(rest, usualFlood), chunkAt);
}

/** An answer that leaves time to stop it. */
export function drip(stage: Stage, rest: string): Promise<void> {
  const count = countFrom(rest, usualDrops);
  return stage.drip(count, (index) => `Drop ${index + 1} of ${count}.\n`);
}

function chunkAt(index: number): string {
  const text = `${String(index + 1).padStart(7, '0')} ${filler}`.slice(0, chunkWidth);
  return index % 2 === 0 ? text : `${text.slice(0, -1)}\n`;
}
