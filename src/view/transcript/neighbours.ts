import type { Entry } from '../../model/entries.ts';

/** The entries that stand directly below another one, without a blank line of their own. */
export class Neighbours {
  private readonly below = new Map<number, Entry>();
  private readonly above = new Map<number, number>();

  /** A new entry stands below another one, and above what was there. */
  add(above: number, entry: Entry): void {
    const next = this.below.get(above);
    this.link(above, entry);
    if (next) this.link(entry.id, next);
  }

  entryBelow(id: number): Entry | undefined {
    return this.below.get(id);
  }

  idAbove(id: number): number | undefined {
    return this.above.get(id);
  }

  clear(): void {
    this.below.clear();
    this.above.clear();
  }

  private link(above: number, entry: Entry): void {
    this.below.set(above, entry);
    this.above.set(entry.id, above);
  }
}
