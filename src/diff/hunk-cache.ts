import { DiffThread } from './diff-thread.ts';
import { type Comparer, computeHunks, type Hunk, type Lines, trimCommonLines } from './hunks.ts';

/** Comparing more lines than this would block the host for too long; the worker thread does it. */
const maxSyncLines = 10_000;

/** Shared by everything in this process, so nothing ends it. An idle thread does not keep the process alive. */
const thread = new DiffThread();
const cache = new WeakMap<Lines, WeakMap<Lines, readonly Hunk[]>>();

/** The lines that differ between two texts. Long texts are compared in the worker thread. */
export async function computeHunksAsync(
  before: Lines,
  after: Lines,
  comparer: Comparer = thread,
): Promise<readonly Hunk[]> {
  const { old, now } = trimCommonLines(before, after);
  const isTwoSided = old.length > 0 && now.length > 0;
  const isLong = isTwoSided && old.length + now.length > maxSyncLines;
  return isLong ? comparer.compare(before, after) : computeHunks(before, after);
}

/** The lines that differ between two texts, from the cache or computed synchronously. */
export function cachedHunks(before: Lines, after: Lines): readonly Hunk[] {
  return cache.get(before)?.get(after) ?? remember(before, after, computeHunks(before, after));
}

/** Fills the cache, so that `cachedHunks` returns without computing. */
export async function cacheHunks(before: Lines, after: Lines, comparer?: Comparer): Promise<void> {
  if (before === after || cache.get(before)?.has(after)) return;
  remember(before, after, await computeHunksAsync(before, after, comparer));
}

function remember(before: Lines, after: Lines, hunks: readonly Hunk[]): readonly Hunk[] {
  const others = cache.get(before) ?? new WeakMap<Lines, readonly Hunk[]>();
  cache.set(before, others.set(after, hunks));
  return hunks;
}
