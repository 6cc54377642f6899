import type { Region } from './merge.ts';

/** Which text to use where both sides changed the same lines. */
export type ConflictChoice = 'ours' | 'theirs' | 'both';

export function countConflicts(regions: readonly Region[]): number {
  return regions.filter(({ kind }) => kind === 'conflict').length;
}

/** The merged text with the same choice for every conflict. */
export function resolveConflicts(regions: readonly Region[], side: ConflictChoice): readonly string[] {
  return regions.flatMap((region) => {
    if (region.kind === 'settled') return region.lines;
    return side === 'both' ? [...region.ours, ...region.theirs] : region[side];
  });
}

/** The merged text with both sides of every conflict in it, between lines that say so; lua/acp/conflict.lua reads them. */
export function withConflictMarkers(regions: readonly Region[]): readonly string[] {
  let count = 0;
  return regions.flatMap((region) => {
    if (region.kind === 'settled') return region.lines;
    count += 1;
    const end = `conflict ${count}`;
    return [
      `<<<<<<< yours · ${end}`,
      ...region.ours,
      `======= ${end}`,
      ...region.theirs,
      `>>>>>>> theirs · ${end}`,
    ];
  });
}

/** The regions of two texts without a common base: every difference is a conflict. */
export function regionsWithoutBase(
  ours: readonly string[],
  hunks: readonly { readonly from: number; readonly to: number; readonly lines: readonly string[] }[],
): readonly Region[] {
  const regions: Region[] = [];
  let at = 0;
  for (const { from, to, lines } of hunks) {
    if (from > at) regions.push({ kind: 'settled', lines: ours.slice(at, from) });
    regions.push({ kind: 'conflict', ours: ours.slice(from, to), base: [], theirs: lines });
    at = to;
  }
  if (at < ours.length) regions.push({ kind: 'settled', lines: ours.slice(at) });
  return regions;
}
