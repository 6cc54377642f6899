import { HunkThread } from './hunk-thread.ts';
import { type Comparer, hunksBetween as compare, differing, type Hunk, type Lines } from './hunks.ts';

/** To compare more lines than this may take long, and nothing else of the host would happen meanwhile. */
const quickLines = 10_000;

const thread = new HunkThread();
const known = new WeakMap<Lines, WeakMap<Lines, readonly Hunk[]>>();

/** The lines that differ between two texts, found without holding anybody up. */
export async function findHunks(
  before: Lines,
  after: Lines,
  comparer: Comparer = thread,
): Promise<readonly Hunk[]> {
  const { old, now } = differing(before, after);
  const isTwoSided = old.length > 0 && now.length > 0;
  const isLong = isTwoSided && old.length + now.length > quickLines;
  return isLong ? comparer.compare(before, after) : compare(before, after);
}

/** The same at once. What was found here, or prepared, is not looked for again. */
export function hunksBetween(before: Lines, after: Lines): readonly Hunk[] {
  return known.get(before)?.get(after) ?? remember(before, after, compare(before, after));
}

/** Finds what will be asked for. */
export async function prepareHunks(before: Lines, after: Lines, comparer?: Comparer): Promise<void> {
  if (before === after || known.get(before)?.has(after)) return;
  remember(before, after, await findHunks(before, after, comparer));
}

function remember(before: Lines, after: Lines, hunks: readonly Hunk[]): readonly Hunk[] {
  const others = known.get(before) ?? new WeakMap<Lines, readonly Hunk[]>();
  known.set(before, others.set(after, hunks));
  return hunks;
}
