/** Runs one task after the other, in the order they were added. A task that fails does not stop the next one. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();
  /** The number of tasks that were added so far. */
  added = 0;

  run<T>(task: () => Promise<T>): Promise<T> {
    this.added += 1;
    const done = this.last.then(task);
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when every task that was added so far has run. */
  async idle(): Promise<void> {
    await this.last;
  }
}

/** One serial queue per key. A queue exists as long as it has tasks. */
export class KeyedQueues {
  private readonly queues = new Map<string, { readonly queue: SerialQueue; tasks: number }>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const entry = this.queues.get(key) ?? { queue: new SerialQueue(), tasks: 0 };
    this.queues.set(key, entry);
    entry.tasks += 1;
    try {
      return await entry.queue.run(task);
    } finally {
      entry.tasks -= 1;
      if (entry.tasks === 0) this.queues.delete(key);
    }
  }
}

/** Calls `act` for so many items at a time; the results are in the order of the items. */
export async function inParts<T, R>(
  items: readonly T[],
  size: number,
  act: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += size) {
    const part = items.slice(at, at + size);
    results.push(...(await Promise.all(part.map((item, index) => act(item, at + index)))));
  }
  return results;
}
