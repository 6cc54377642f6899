import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Comparer, type Hunk, hunksBetween, type Lines } from './hunks.ts';

/** A hunk without its lines: here they are already. */
export type Bounds = readonly [from: number, to: number, count: number];

interface Waiting {
  readonly before: Lines;
  readonly after: Lines;
  readonly resolve: (hunks: readonly Hunk[]) => void;
}

/** Compares long texts in a thread of its own, which is started when there are any; idle, it is no reason to stay. */
export class HunkThread implements Comparer {
  private readonly program: string;
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;

  constructor(program = fileURLToPath(new URL('hunk-worker.js', import.meta.url))) {
    this.program = program;
  }

  async compare(before: Lines, after: Lines): Promise<readonly Hunk[]> {
    if (!existsSync(this.program)) return hunksBetween(before, after);
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, { before, after, resolve });
      this.worker ??= this.start();
      this.worker.ref();
      this.worker.postMessage({ id, before, after });
    });
  }

  private start(): Worker {
    const worker = new Worker(this.program);
    worker.on('message', ({ id, found }: { id: number; found: readonly Bounds[] }) => {
      const asked = this.waiting.get(id);
      this.waiting.delete(id);
      if (this.waiting.size === 0) worker.unref();
      asked?.resolve(hunksWith(asked.after, found));
    });
    worker.on('error', () => this.takeOver());
    return worker;
  }

  // Late is better than never.
  private takeOver(): void {
    this.worker = undefined;
    const left = [...this.waiting.values()];
    this.waiting.clear();
    for (const { before, after, resolve } of left) resolve(hunksBetween(before, after));
  }
}

function hunksWith(after: Lines, found: readonly Bounds[]): readonly Hunk[] {
  let shift = 0;
  return found.map(([from, to, count]) => {
    const start = from + shift;
    shift += count - (to - from);
    return { from, to, lines: after.slice(start, start + count) };
  });
}
