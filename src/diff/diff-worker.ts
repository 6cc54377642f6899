import { parentPort } from 'node:worker_threads';
import type { HunkBounds } from './diff-thread.ts';
import { computeHunks, type Lines } from './hunks.ts';

interface Job {
  readonly id: number;
  readonly before: Lines;
  readonly after: Lines;
}

parentPort?.on('message', ({ id, before, after }: Job) => {
  const found = computeHunks(before, after).map(
    ({ from, to, lines }): HunkBounds => [from, to, lines.length],
  );
  parentPort?.postMessage({ id, found });
});
