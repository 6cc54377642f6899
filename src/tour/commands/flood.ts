import { readCount } from '../prompt.ts';
import type { TourTurn } from '../turn.ts';

const chunkWidth = 40;
const defaultLongChunks = 1_000;
const defaultSlowChunks = 50;
const filler = 'the quick brown fox jumps over the lazy dog ';

/** Sends a long answer in chunks of 40 characters. Two chunks are one line of 80 characters with its newline. */
export function sendLongAnswer(turn: TourTurn, rest: string): Promise<void> {
  return turn.sendFast(readCount(rest, defaultLongChunks), chunkAt);
}

/** Sends an answer slowly enough to cancel it. */
export function sendSlowAnswer(turn: TourTurn, rest: string): Promise<void> {
  const count = readCount(rest, defaultSlowChunks);
  return turn.sendSlowly(count, (index) => `Drop ${index + 1} of ${count}.\n`);
}

function chunkAt(index: number): string {
  const text = `${String(index + 1).padStart(7, '0')} ${filler}`.slice(0, chunkWidth);
  return index % 2 === 0 ? text : `${text.slice(0, -1)}\n`;
}
