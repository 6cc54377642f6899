import { parentPort } from 'node:worker_threads';
import { hunksBetween } from '../edits.ts';

interface Job {
  readonly id: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

parentPort?.on('message', ({ id, before, after }: Job) => {
  parentPort?.postMessage({ id, hunks: hunksBetween(before, after) });
});
