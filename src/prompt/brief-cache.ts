import { BoundedMap } from '../base/bounded-map.ts';
import type { Clock } from '../ports/clock.ts';

interface Kept<T> {
  readonly value: Promise<T>;
  /** Unknown while the search runs. */
  staleAt: number | undefined;
}

const minAgeMs = 3_000;
/** What takes long to find is searched less often. */
const restFactor = 10;
const maxKept = 50;

/** What is worth keeping for a moment, because the user types one letter after the other. */
export class BriefCache<T> {
  private readonly clock: Clock;
  private readonly kept = new BoundedMap<string, Kept<T>>(maxKept);

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Searches if nothing is kept. `search` must not reject. */
  get(key: string, search: () => Promise<T>): Promise<T> {
    const start = this.clock.elapsed();
    const found = this.kept.get(key);
    if (found && (found.staleAt === undefined || start < found.staleAt)) return found.value;
    const entry: Kept<T> = { value: search(), staleAt: undefined };
    this.kept.set(key, entry);
    return entry.value.finally(() => {
      const now = this.clock.elapsed();
      entry.staleAt = now + Math.max(minAgeMs, restFactor * (now - start));
    });
  }
}
