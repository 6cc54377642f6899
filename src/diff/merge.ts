import { computeHunksAsync } from './hunk-cache.ts';
import type { Hunk } from './hunks.ts';
import { sameLines } from './hunks.ts';

/** A part of a merged text: merged lines, or the versions of both sides. */
export type Region =
  | { readonly kind: 'settled'; readonly lines: readonly string[] }
  | {
      readonly kind: 'conflict';
      readonly ours: readonly string[];
      readonly base: readonly string[];
      readonly theirs: readonly string[];
    };

/** Hunks of several sides that touch each other, in rows of the common base. */
export interface HunkGroup {
  readonly from: number;
  readonly to: number;
  /** The hunks of each side; empty if it did not change these lines. */
  readonly sides: readonly (readonly Hunk[])[];
}

/**
 * Three-way merge. Changes of both sides that touch each other are a conflict unless they are equal. (node-diff3 takes
 * minutes for 50,000 lines with many equal ones; this uses our own hunks.)
 */
export async function merge(
  ours: readonly string[],
  base: readonly string[],
  theirs: readonly string[],
): Promise<readonly Region[]> {
  const [mine, others] = await Promise.all([computeHunksAsync(base, ours), computeHunksAsync(base, theirs)]);
  if (mine.length === 0 || others.length === 0) return settled(mine.length === 0 ? theirs : ours);
  const regions: Region[] = [];
  let at = 0;
  for (const group of groupHunks([mine, others])) {
    if (group.from > at) regions.push({ kind: 'settled', lines: base.slice(at, group.from) });
    regions.push(regionOf(base, group));
    at = group.to;
  }
  if (at < base.length) regions.push({ kind: 'settled', lines: base.slice(at) });
  return regions;
}

function settled(lines: readonly string[]): readonly Region[] {
  return lines.length === 0 ? [] : [{ kind: 'settled', lines }];
}

/** The merged text; undefined if there are conflicts. */
export function mergedLines(regions: readonly Region[]): readonly string[] | undefined {
  if (regions.some(({ kind }) => kind === 'conflict')) return undefined;
  return regions.flatMap((region) => (region.kind === 'settled' ? region.lines : []));
}

/** Groups the hunks of all sides that touch each other, in order. */
export function groupHunks(sides: readonly (readonly Hunk[])[]): readonly HunkGroup[] {
  const all = sides
    .flatMap((hunks, side) => hunks.map((hunk) => ({ hunk, side })))
    .sort((one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to);
  const groups: OpenGroup[] = [];
  for (const { hunk, side } of all) {
    const last = groups.at(-1);
    const isApart = !last || hunk.from > last.to || isOwnNeighbour(last, side, hunk);
    const group = isApart ? { from: hunk.from, to: hunk.to, sides: sides.map((): Hunk[] => []) } : last;
    if (isApart) groups.push(group);
    group.sides[side]!.push(hunk);
    group.to = Math.max(group.to, hunk.to);
  }
  return groups;
}

interface OpenGroup extends HunkGroup {
  to: number;
  readonly sides: readonly Hunk[][];
}

// Hunks of one side never touch each other. A hunk that starts where the group ends joins it only through another side.
function isOwnNeighbour({ to, sides }: OpenGroup, side: number, hunk: Hunk): boolean {
  const isBefore = (other: Hunk) => other.to < hunk.from;
  return hunk.from === to && sides.every((hunks, index) => index === side || hunks.every(isBefore));
}

function regionOf(base: readonly string[], group: HunkGroup): Region {
  const { from, to, sides } = group;
  const [ours, theirs] = sides.map((hunks) => applyHunks(base, group, hunks)) as [string[], string[]];
  if (sides[1]!.length === 0 || sameLines(ours, theirs)) return { kind: 'settled', lines: ours };
  if (sides[0]!.length === 0) return { kind: 'settled', lines: theirs };
  return { kind: 'conflict', ours, base: base.slice(from, to), theirs };
}

/** Applies hunks to the lines between two rows. */
export function applyHunks(
  base: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  hunks: readonly Hunk[],
): readonly string[] {
  const [first] = hunks;
  if (hunks.length === 1 && first!.from === from && first!.to === to) return first!.lines;
  const parts: (readonly string[])[] = [];
  let at = from;
  for (const hunk of hunks) {
    parts.push(base.slice(at, hunk.from), hunk.lines);
    at = hunk.to;
  }
  return [...parts, base.slice(at, to)].flat();
}
