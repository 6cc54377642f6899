import { setImmediate as nextTurn } from 'node:timers/promises';
import { sleep } from '../base/timeout.ts';

const defaultPaceMs = 15;
const wordsPerChunk = /\s*(?:\S+\s*){1,3}/g;

/** Milliseconds between two chunks of text, from the value of ACP_TOUR_PACE; 0 means full speed. */
export function parsePace(value: string | undefined): number {
  const ms = Number.parseInt(value ?? '', 10);
  return ms >= 0 ? ms : defaultPaceMs;
}

/** Waits. Even 0 ms yields to the event loop, so that a cancel can arrive. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, { signal });
  else await nextTurn(undefined, { signal });
}

/** Cuts a text into chunks of up to three words. */
export function splitIntoChunks(text: string): readonly string[] {
  return text.match(wordsPerChunk) ?? [text];
}
