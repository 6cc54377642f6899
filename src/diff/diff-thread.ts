import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Comparer, computeHunks, type Hunk, type Lines } from './hunks.ts';

/** A hunk without its lines, which the receiver has already. */
export type HunkBounds = readonly [from: number, to: number, count: number];

interface PendingDiff {
  readonly before: Lines;
  readonly after: Lines;
  readonly resolve: (hunks: readonly Hunk[]) => void;
}

/** Compares long texts in a worker thread, started with the first one. An idle thread does not keep the process alive. */
export class DiffThread implements Comparer {
  private readonly program: string;
  private worker: Worker | undefined;
  private readonly pending = new Map<number, PendingDiff>();
  private next = 0;

  constructor(program = fileURLToPath(new URL('diff-worker.js', import.meta.url))) {
    this.program = program;
  }

  async compare(before: Lines, after: Lines): Promise<readonly Hunk[]> {
    if (!existsSync(this.program)) return computeHunks(before, after);
    const id = this.next++;
    return new Promise((resolve) => {
      this.pending.set(id, { before, after, resolve });
      this.worker ??= this.start();
      this.worker.ref();
      this.worker.postMessage({ id, before, after });
    });
  }

  private start(): Worker {
    const worker = new Worker(this.program);
    worker.on('message', ({ id, found }: { id: number; found: readonly HunkBounds[] }) => {
      const asked = this.pending.get(id);
      this.pending.delete(id);
      if (this.pending.size === 0) worker.unref();
      asked?.resolve(withLines(asked.after, found));
    });
    worker.on('error', () => this.computePendingHere());
    return worker;
  }

  // The worker has failed: compare what is pending in this thread.
  private computePendingHere(): void {
    this.worker = undefined;
    const left = [...this.pending.values()];
    this.pending.clear();
    for (const { before, after, resolve } of left) resolve(computeHunks(before, after));
  }
}

function withLines(after: Lines, found: readonly HunkBounds[]): readonly Hunk[] {
  let shift = 0;
  return found.map(([from, to, count]) => {
    const start = from + shift;
    shift += count - (to - from);
    return { from, to, lines: after.slice(start, start + count) };
  });
}
