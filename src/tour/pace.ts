import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

const usualPaceMs = 15;
const wordsPerChunk = /\s*(?:\S+\s*){1,3}/g;

/** Milliseconds between two chunks of text, from the value of ACP_TOUR_PACE; 0 means full speed. */
export function paceFrom(value: string | undefined): number {
  const ms = Number.parseInt(value ?? '', 10);
  return ms >= 0 ? ms : usualPaceMs;
}

/** Waits, and looks at what the client has to say even when there is nothing to wait for. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal });
  else await nextTurn(undefined, { signal });
}

/** Cuts a text into pieces of a few words; together they are the text. */
export function chunksOf(text: string): readonly string[] {
  return text.match(wordsPerChunk) ?? [text];
}
