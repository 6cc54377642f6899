import { diffArrays } from 'diff';
import { findAnchors } from './patience-diff.ts';

/** If more lines differ, patience diff (lines that are unique in both texts) is faster. */
const maxDifference = 100;
const windowLines = 500;
const resyncLines = 5;
/**
 * The effort for the parts between unique lines. Comparing costs the square of the number of differences; parts beyond the
 * limit become one hunk each.
 */
const maxEffort = 300 * 300;

/** Limits for long texts. */
interface DiffLimits {
  /** The effort for comparing in windows, where each window costs the square of its differences. */
  readonly effort: number;
  /** Beyond the effort, texts with more lines than this together are compared row by row, or become one hunk. */
  readonly lines: number;
}

const thoroughLimits: DiffLimits = { effort: 1_500 * 1_500, lines: Number.POSITIVE_INFINITY };
/** For synchronous use: under 50 ms for two texts of 50,000 lines. */
export const fastLimits: DiffLimits = { effort: 500 * 500, lines: 40_000 };

export type Lines = readonly string[];

/** Compares two texts in another thread. */
export interface Comparer {
  compare(before: Lines, after: Lines): Promise<readonly Hunk[]>;
}

/** Replaces the lines from `from` (from 0) to before `to`. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: Lines;
}

/** The lines that differ between two texts, in order. */
export function computeHunks(before: Lines, after: Lines, patience = thoroughLimits): readonly Hunk[] {
  return slideDown(before, differences(before, after, patience));
}

function differences(before: Lines, after: Lines, patience: DiffLimits): readonly Hunk[] {
  const { start, old, now } = trimCommonLines(before, after);
  if (old.length === 0 && now.length === 0) return [];
  const isLong = Math.min(old.length, now.length) > 2 * windowLines;
  const near = isLong
    ? compareWindows(old, now, start, patience.effort)
    : compare(old, now, start, maxDifference)?.hunks;
  if (near) return near;
  const isTooLong = old.length + now.length > patience.lines;
  return isTooLong ? compareRows(old, now, start) : compareParts(old, now, start);
}

/** Added or removed lines often fit in several places. Moves them to the last one, where a reader expects them. */
function slideDown(before: Lines, hunks: readonly Hunk[]): readonly Hunk[] {
  return hunks.map((hunk, index) => {
    const room = (hunks[index + 1]?.from ?? before.length + 1) - hunk.to - 1;
    const { from, to, lines } = hunk;
    if (to > from && lines.length > 0) return hunk;
    const moving = lines.length > 0 ? lines : before.slice(from, to);
    const steps = stepsDown(moving, before, to, room);
    if (steps === 0) return hunk;
    const passed = [...moving, ...before.slice(to, to + steps)].slice(steps);
    return { from: from + steps, to: to + steps, lines: lines.length > 0 ? passed : lines };
  });
}

/** By how many rows lines can move down without changing the result. */
function stepsDown(moving: Lines, before: Lines, at: number, room: number): number {
  let steps = 0;
  const first = () => (steps < moving.length ? moving[steps] : before[at + steps - moving.length]);
  while (steps < room && first() === before[at + steps]) steps += 1;
  return steps;
}

/** Compares row by row if both texts have the same number of rows; otherwise replaces everything. */
function compareRows(old: Lines, now: Lines, start: number): readonly Hunk[] {
  if (old.length !== now.length) return [{ from: start, to: start + old.length, lines: now }];
  const hunks: Hunk[] = [];
  for (let row = 0; row < old.length; row += 1) {
    const from = row;
    while (row < old.length && old[row] !== now[row]) row += 1;
    if (row > from) hunks.push({ from: start + from, to: start + row, lines: now.slice(from, row) });
  }
  return hunks;
}

/** Removes the lines that both texts start and end with. */
export function trimCommonLines(before: Lines, after: Lines) {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  return {
    start,
    old: before.slice(start, before.length - end),
    now: after.slice(start, after.length - end),
  };
}

/** Compares two texts window by window, in linear time. Undefined if the texts drift apart or differ too much. */
function compareWindows(
  old: Lines,
  now: Lines,
  start: number,
  maxSpent: number,
): readonly Hunk[] | undefined {
  const hunks: Hunk[] = [];
  let spent = 0;
  let [row, other] = [0, 0];
  while (row < old.length || other < now.length) {
    if (row < old.length && other < now.length && old[row] === now[other]) {
      [row, other] = [row + 1, other + 1];
      continue;
    }
    const window = [old.slice(row, row + windowLines), now.slice(other, other + windowLines)] as const;
    const isLast = row + windowLines >= old.length && other + windowLines >= now.length;
    const changes = diffArrays([...window[0]], [...window[1]], { maxEditLength: maxDifference });
    const kept = changes && (isLast ? changes : changes.slice(0, changes.findLastIndex(isResyncPoint)));
    if (!kept || kept.length === 0 || spent > maxSpent) return undefined;
    spent += differenceOf(changes) ** 2;
    for (const hunk of hunksOf(kept, start + row)) hunks.push(hunk);
    for (const { added, removed, value } of kept) {
      if (!added) row += value.length;
      if (!removed) other += value.length;
    }
  }
  return hunks;
}

// Shorter equal parts may be equal by chance.
function isResyncPoint({ added, removed, value }: DiffChange): boolean {
  return !added && !removed && value.length >= resyncLines;
}

interface Comparison {
  readonly hunks: readonly Hunk[];
  readonly difference: number;
}

/** Undefined if more lines differ than `maxEditLength`. */
function compare(old: Lines, now: Lines, start: number, maxEditLength: number): Comparison | undefined {
  const isOneSided = old.length === 0 || now.length === 0;
  const isOneLine = old.length === 1 && now.length === 1 && old[0] !== now[0];
  if (isOneSided || isOneLine)
    return { hunks: [{ from: start, to: start + old.length, lines: now }], difference: 0 };
  const changes = diffArrays([...old], [...now], { maxEditLength });
  if (!changes) return undefined;
  return { hunks: hunksOf(changes, start), difference: differenceOf(changes) };
}

function differenceOf(changes: readonly DiffChange[]): number {
  return changes.reduce((sum, { added, removed, value }) => sum + (added || removed ? value.length : 0), 0);
}

function compareParts(old: Lines, now: Lines, start: number): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let effort = maxEffort;
  let [from, at] = [0, 0];
  for (const [row, other] of [...findAnchors(old, now), [old.length, now.length] as const]) {
    if (row > from || other > at) {
      const parts = [old.slice(from, row), now.slice(at, other)] as const;
      const allowed = Math.floor(Math.sqrt(effort));
      const found = compare(...parts, start + from, allowed);
      effort = Math.max(0, effort - (found ? found.difference : allowed) ** 2);
      for (const hunk of found?.hunks ?? [{ from: start + from, to: start + row, lines: parts[1] }]) {
        hunks.push(hunk);
      }
    }
    [from, at] = [row + 1, other + 1];
  }
  return hunks;
}

interface DiffChange {
  readonly added?: boolean;
  readonly removed?: boolean;
  readonly value: Lines;
}

function hunksOf(changes: readonly DiffChange[], start: number): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let row = start;
  let open: { from: number; to: number; lines: string[] } | undefined;
  for (const { added, removed, value } of changes) {
    if (!added && !removed) {
      if (open) hunks.push(open);
      open = undefined;
      row += value.length;
      continue;
    }
    open ??= { from: row, to: row, lines: [] };
    if (added) open.lines.push(...value);
    else {
      row += value.length;
      open.to = row;
    }
  }
  return open ? [...hunks, open] : hunks;
}

export function commonStart(one: ArrayLike<string>, other: ArrayLike<string>): number {
  const shorter = Math.min(one.length, other.length);
  let same = 0;
  while (same < shorter && one[same] === other[same]) same += 1;
  return same;
}

export function commonEnd(one: ArrayLike<string>, other: ArrayLike<string>, start: number): number {
  const shorter = Math.min(one.length, other.length) - start;
  let same = 0;
  while (same < shorter && one[one.length - 1 - same] === other[other.length - 1 - same]) same += 1;
  return same;
}

export function sameLines(one: Lines, other: Lines): boolean {
  return one === other || (one.length === other.length && one.every((line, index) => line === other[index]));
}
