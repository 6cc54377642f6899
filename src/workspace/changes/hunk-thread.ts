import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Hunk, hunksBetween } from '../edits.ts';
import type { Comparer } from './hunks.ts';

type Lines = readonly string[];

interface Waiting {
  readonly before: Lines;
  readonly after: Lines;
  readonly resolve: (hunks: readonly Hunk[]) => void;
}

/** Compares long texts in a thread of its own, which is started when there are any and is no reason to stay. */
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
      this.worker.postMessage({ id, before, after });
    });
  }

  private start(): Worker {
    const worker = new Worker(this.program);
    worker.unref();
    worker.on('message', ({ id, hunks }: { id: number; hunks: readonly Hunk[] }) => {
      this.waiting.get(id)?.resolve(hunks);
      this.waiting.delete(id);
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
