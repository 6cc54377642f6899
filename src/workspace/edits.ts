import { diffArrays } from 'diff';
import { anchorsOf } from './anchors.ts';

/** How many lines may differ before it pays to look for lines that both texts have once. */
const maxDifference = 100;
const windowLines = 500;
const meetingLines = 5;
/**
 * What may be spent on what stands between those: comparing costs the square of what differs, and more than this would
 * take longer than it helps. What is left then is replaced as a whole.
 */
const maxEffort = 300 * 300;

/** Lines to be replaced by others, counted from 0; `to` is the one after the last. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** A span to be replaced; rows from 0, columns in bytes, as Neovim counts them. */
export interface Edit {
  readonly startRow: number;
  readonly startColumn: number;
  readonly endRow: number;
  readonly endColumn: number;
  readonly lines: readonly string[];
}

/** The lines that differ between two texts, in order. */
export function hunksBetween(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  if (old.length === 0 && now.length === 0) return [];
  const isLong = Math.min(old.length, now.length) > 2 * windowLines;
  const near = isLong ? compareWindows(old, now, start) : compare(old, now, start, maxDifference)?.hunks;
  return near ?? compareParts(old, now, start).hunks;
}

/** Goes through two texts side by side, as long as they do not lose each other. Its cost grows with their length only. */
function compareWindows(
  old: readonly string[],
  now: readonly string[],
  start: number,
): readonly Hunk[] | undefined {
  const hunks: Hunk[] = [];
  let [row, other] = [0, 0];
  while (row < old.length || other < now.length) {
    if (row < old.length && other < now.length && old[row] === now[other]) {
      [row, other] = [row + 1, other + 1];
      continue;
    }
    const window = [old.slice(row, row + windowLines), now.slice(other, other + windowLines)] as const;
    const isLast = row + windowLines >= old.length && other + windowLines >= now.length;
    const changes = diffArrays([...window[0]], [...window[1]], { maxEditLength: maxDifference });
    const kept = changes && (isLast ? changes : changes.slice(0, changes.findLastIndex(isMeeting)));
    if (!kept || kept.length === 0) return undefined;
    for (const hunk of hunksOf(kept, start + row)) hunks.push(hunk);
    for (const { added, removed, value } of kept) {
      if (!added) row += value.length;
      if (!removed) other += value.length;
    }
  }
  return hunks;
}

// What is the same by chance is short.
function isMeeting({ added, removed, value }: Change): boolean {
  return !added && !removed && value.length >= meetingLines;
}

interface Comparison {
  readonly hunks: readonly Hunk[];
  readonly difference: number;
}

/** Undefined when more differs than is allowed. */
function compare(
  old: readonly string[],
  now: readonly string[],
  start: number,
  maxEditLength: number,
): Comparison | undefined {
  const isOneSided = old.length === 0 || now.length === 0;
  if (isOneSided) return { hunks: [{ from: start, to: start + old.length, lines: now }], difference: 0 };
  const changes = diffArrays([...old], [...now], { maxEditLength });
  if (!changes) return undefined;
  const difference = changes.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? value.length : 0),
    0,
  );
  return { hunks: hunksOf(changes, start), difference };
}

function compareParts(old: readonly string[], now: readonly string[], start: number): Comparison {
  const hunks: Hunk[] = [];
  let effort = maxEffort;
  let [from, at] = [0, 0];
  for (const [row, other] of [...anchorsOf(old, now), [old.length, now.length] as const]) {
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
  return { hunks, difference: 0 };
}

interface Change {
  readonly added?: boolean;
  readonly removed?: boolean;
  readonly value: readonly string[];
}

function hunksOf(changes: readonly Change[], start: number): readonly Hunk[] {
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

/** The smallest spans that make one text of the other, the last first, so that each stands where it says. */
export function editsBetween(before: readonly string[], after: readonly string[]): readonly Edit[] {
  return hunksBetween(before, after)
    .flatMap((hunk) => editsOf(before, hunk))
    .reverse();
}

function editsOf(before: readonly string[], { from, to, lines }: Hunk): readonly Edit[] {
  const old = before.slice(from, to);
  if (old.length === lines.length) {
    return lines.flatMap((line, index) =>
      line === old[index] ? [] : [within(from + index, old[index]!, line)],
    );
  }
  return [wholeLines(before, from, to, lines)];
}

/** What differs inside of a line. */
function within(row: number, old: string, line: string): Edit {
  const start = commonStart(old, line);
  const end = commonEnd(old, line, start);
  // Never between the two halves of a character.
  const from = isLowSurrogate(line, start) || isLowSurrogate(old, start) ? start - 1 : start;
  const cut =
    isLowSurrogate(old, old.length - end) || isLowSurrogate(line, line.length - end) ? end - 1 : end;
  return {
    startRow: row,
    startColumn: bytes(old.slice(0, from)),
    endRow: row,
    endColumn: bytes(old.slice(0, old.length - cut)),
    lines: [line.slice(from, line.length - cut)],
  };
}

// Lines come and go with the end of the line before them, or of their own when they are the first.
function wholeLines(before: readonly string[], from: number, to: number, lines: readonly string[]): Edit {
  if (to < before.length) {
    return { startRow: from, startColumn: 0, endRow: to, endColumn: 0, lines: [...lines, ''] };
  }
  if (from > 0) {
    const [startRow, endRow] = [from - 1, to - 1];
    return {
      startRow,
      startColumn: bytes(before[startRow]!),
      endRow,
      endColumn: bytes(before[endRow]!),
      lines: ['', ...lines],
    };
  }
  const last = before.at(-1) ?? '';
  return {
    startRow: 0,
    startColumn: 0,
    endRow: Math.max(0, to - 1),
    endColumn: bytes(last),
    lines: lines.length === 0 ? [''] : lines,
  };
}

function commonStart(one: ArrayLike<string>, other: ArrayLike<string>): number {
  const shorter = Math.min(one.length, other.length);
  let same = 0;
  while (same < shorter && one[same] === other[same]) same += 1;
  return same;
}

function commonEnd(one: ArrayLike<string>, other: ArrayLike<string>, start: number): number {
  const shorter = Math.min(one.length, other.length) - start;
  let same = 0;
  while (same < shorter && one[one.length - 1 - same] === other[other.length - 1 - same]) same += 1;
  return same;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
