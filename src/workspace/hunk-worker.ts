import { parentPort } from 'node:worker_threads';
import type { Bounds } from './hunk-thread.ts';
import { hunksBetween, type Lines } from './hunks.ts';

interface Job {
  readonly id: number;
  readonly before: Lines;
  readonly after: Lines;
}

parentPort?.on('message', ({ id, before, after }: Job) => {
  const found = hunksBetween(before, after).map(({ from, to, lines }): Bounds => [from, to, lines.length]);
  parentPort?.postMessage({ id, found });
});
