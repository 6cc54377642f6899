import { hunksBetween as compare, type Hunk } from '../edits.ts';

type Lines = readonly string[];

/** Compares two texts somewhere else. */
export interface Comparer {
  compare(before: Lines, after: Lines): Promise<readonly Hunk[]>;
}

/** To compare more lines than this may take over 50 ms, and nothing else of the host would happen meanwhile. */
const quickLines = 20_000;

const known = new WeakMap<Lines, WeakMap<Lines, readonly Hunk[]>>();

/** The lines that differ between two texts. What was found once, or prepared, is not looked for again. */
export function hunksBetween(before: Lines, after: Lines): readonly Hunk[] {
  return known.get(before)?.get(after) ?? remember(before, after, compare(before, after));
}

/** Finds the hunks of two long texts without holding anybody up. */
export async function prepareHunks(before: Lines, after: Lines, comparer: Comparer): Promise<void> {
  if (before === after || known.get(before)?.has(after)) return;
  const isLong = before.length + after.length > quickLines;
  remember(before, after, isLong ? await comparer.compare(before, after) : compare(before, after));
}

function remember(before: Lines, after: Lines, hunks: readonly Hunk[]): readonly Hunk[] {
  const others = known.get(before) ?? new WeakMap<Lines, readonly Hunk[]>();
  known.set(before, others.set(after, hunks));
  return hunks;
}
