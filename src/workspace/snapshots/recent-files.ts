import type { BigIntStats } from 'node:fs';
import fs from 'node:fs/promises';

/** Git compares times by the second on most systems. */
const recentMs = 2_000;

/**
 * Files that changed right before a snapshot. Git may take them for unchanged after a change in the same second, if size
 * and time of modification are as before.
 */
export class RecentFiles {
  /** What the system says about each file, in nanoseconds. */
  private readonly facts = new Map<string, string>();

  /** Notes the file if it changed a moment ago. It is to be called before the file is read. */
  note(file: string, stat: BigIntStats): void {
    const latest = BigInt(Date.now() - recentMs) * 1_000_000n;
    if (stat.ctimeNs > latest) this.facts.set(file, describe(stat));
    else this.facts.delete(file);
  }

  /** The noted files that have changed since, or are gone. They are forgotten. */
  async changed(): Promise<readonly string[]> {
    const noted = [...this.facts];
    const now = await Promise.all(noted.map(([file]) => statOf(file)));
    const changed = noted.flatMap(([file, was], at) => (now[at] && describe(now[at]) === was ? [] : [file]));
    for (const file of changed) this.facts.delete(file);
    return changed;
  }
}

function statOf(file: string): Promise<BigIntStats | undefined> {
  return fs.lstat(file, { bigint: true }).catch(() => undefined);
}

function describe({ ctimeNs, ino, size }: BigIntStats): string {
  return `${ctimeNs} ${ino} ${size}`;
}
