import type { Hunk } from './hunks.ts';
import { findHunks } from './known-hunks.ts';
import { sameLines } from './text.ts';

/** A part of a merged text: what is settled, or what each side made of it. */
export type Region =
  | { readonly kind: 'settled'; readonly lines: readonly string[] }
  | {
      readonly kind: 'conflict';
      readonly ours: readonly string[];
      readonly base: readonly string[];
      readonly theirs: readonly string[];
    };

interface Group {
  from: number;
  to: number;
  readonly ours: Hunk[];
  readonly theirs: Hunk[];
}

/**
 * Puts together what the user and the agent made of the text that the agent last saw. Changes that touch each other are
 * a conflict unless they are the same. (node-diff3 takes minutes for 50,000 lines many of which are alike, so it is
 * built on the hunks that are needed anyway.)
 */
export async function merge(
  ours: readonly string[],
  base: readonly string[],
  theirs: readonly string[],
): Promise<readonly Region[]> {
  const [mine, others] = await Promise.all([findHunks(base, ours), findHunks(base, theirs)]);
  if (mine.length === 0 || others.length === 0) return settled(mine.length === 0 ? theirs : ours);
  const regions: Region[] = [];
  let at = 0;
  for (const group of groupsOf(mine, others)) {
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

/** The merged text, if nothing is in conflict. */
export function mergedLines(regions: readonly Region[]): readonly string[] | undefined {
  if (regions.some(({ kind }) => kind === 'conflict')) return undefined;
  return regions.flatMap((region) => (region.kind === 'settled' ? region.lines : []));
}

function groupsOf(ours: readonly Hunk[], theirs: readonly Hunk[]): readonly Group[] {
  const all = [
    ...ours.map((hunk) => ({ hunk, side: 'ours' as const })),
    ...theirs.map((hunk) => ({ hunk, side: 'theirs' as const })),
  ].sort((one, other) => one.hunk.from - other.hunk.from || one.hunk.to - other.hunk.to);
  const groups: Group[] = [];
  for (const { hunk, side } of all) {
    const last = groups.at(-1);
    const isApart = !last || hunk.from > last.to || isOwnNeighbour(last, side, hunk);
    const group = isApart ? { from: hunk.from, to: hunk.to, ours: [], theirs: [] } : last;
    if (isApart) groups.push(group);
    group[side].push(hunk);
    group.to = Math.max(group.to, hunk.to);
  }
  return groups;
}

// The hunks of one side never touch each other, so what begins where a group ends is of the other side, or follows it.
function isOwnNeighbour({ to, ours, theirs }: Group, side: 'ours' | 'theirs', hunk: Hunk): boolean {
  const others = side === 'ours' ? theirs : ours;
  return hunk.from === to && others.every((other) => other.to < hunk.from);
}

function regionOf(base: readonly string[], { from, to, ours, theirs }: Group): Region {
  const mine = applied(base, from, to, ours);
  const other = applied(base, from, to, theirs);
  if (theirs.length === 0 || sameLines(mine, other)) return { kind: 'settled', lines: mine };
  if (ours.length === 0) return { kind: 'settled', lines: other };
  return { kind: 'conflict', ours: mine, base: base.slice(from, to), theirs: other };
}

function applied(
  base: readonly string[],
  from: number,
  to: number,
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
