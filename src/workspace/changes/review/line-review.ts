import { cachedHunks } from '../../../diff/hunk-cache.ts';
import type { Hunk } from '../../../diff/hunks.ts';

/** What a text is compared with: its content before the session, or before the last turn. */
export type Scope = 'session' | 'turn';

export type Lines = readonly string[];

/**
 * A text under review. A base is the text without the changes of the agent that the user has not kept. It includes the
 * user's own changes.
 */
export interface LineReview {
  readonly bases: Readonly<Record<Scope, Lines>>;
  readonly now: Lines;
}

/** Lines of the base and the lines the agent replaced them by. Rows start at 0; `to` is exclusive. */
export interface ReviewHunk {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly from: number;
  readonly to: number;
}

export function reviewHunks({ bases, now }: LineReview, scope: Scope): readonly ReviewHunk[] {
  let shift = 0;
  return cachedHunks(bases[scope], now).map(({ from, to, lines }) => {
    const start = from + shift;
    shift += lines.length - (to - from);
    return { oldFrom: from, oldTo: to, from: start, to: start + lines.length };
  });
}

/** The hunk at a row, or the next one after it, or else the last. */
export function hunkNear(hunks: readonly ReviewHunk[], row: number): ReviewHunk | undefined {
  return hunks.find(({ from, to }) => row < Math.max(to, from + 1)) ?? hunks.at(-1);
}

/** Applies an edit of the user to the bases too, except in lines of the agent. */
export function applyUserEdit({ bases, now: before }: LineReview, now: Lines): LineReview {
  const edits = cachedHunks(before, now).flatMap(byLine(before));
  const moved = (base: Lines) => (edits.length === 0 ? base : transplant(base, before, edits));
  return { bases: { session: moved(bases.session), turn: moved(bases.turn) }, now };
}

/** Accepts the lines of a hunk in both bases. */
export function keepLines({ bases, now }: LineReview, { from, to }: ReviewHunk): LineReview {
  const keep = (base: Lines) => keptBase(base, now, from, to);
  return { bases: { session: keep(bases.session), turn: keep(bases.turn) }, now };
}

/** Restores the old lines of a hunk. Lines from before the session are accepted as the base of the last turn too. */
export function rejectLines({ bases, now: before }: LineReview, scope: Scope, hunk: ReviewHunk): LineReview {
  const old = bases[scope].slice(hunk.oldFrom, hunk.oldTo);
  const now = spliced(before, hunk.from, hunk.to, old);
  if (scope === 'turn') return { bases, now };
  return { bases: { ...bases, turn: keptBase(bases.turn, now, hunk.from, hunk.from + old.length) }, now };
}

/** The base with the current lines of the hunks between two rows. */
function keptBase(base: Lines, now: Lines, from: number, to: number): Lines {
  const hunks = reviewHunks({ bases: { session: base, turn: base }, now }, 'session');
  const kept = hunks.filter((hunk) => hunk.from >= from && hunk.to <= to);
  return kept.reduceRight<Lines>(
    (lines, hunk) => spliced(lines, hunk.oldFrom, hunk.oldTo, now.slice(hunk.from, hunk.to)),
    base,
  );
}

function spliced(lines: Lines, from: number, to: number, by: Lines): Lines {
  return [...lines.slice(0, from), ...by, ...lines.slice(to)];
}

// An edit that replaces lines one by one, or removes them, is split by line, so that lines of the agent are left out
// singly.
function byLine(before: Lines) {
  return (hunk: Hunk): readonly Hunk[] => {
    const { from, to, lines } = hunk;
    if (lines.length !== to - from && lines.length > 0) return [hunk];
    return before.slice(from, to).flatMap((line, index) => {
      const row = from + index;
      return line === lines[index] ? [] : [{ from: row, to: row + 1, lines: lines.slice(index, index + 1) }];
    });
  };
}

/** Applies edits of a text to the base, where the two agree. */
function transplant(base: Lines, text: Lines, edits: readonly Hunk[]): Lines {
  const hunks = reviewHunks({ bases: { session: base, turn: base }, now: text }, 'session');
  const parts: Lines[] = [];
  let at = 0;
  for (const edit of edits) {
    const place = baseRowOf(edit, hunks);
    if (place === undefined) continue;
    const { from, to, lines } = restoredLines(base, edit, place, hunks) ?? {
      from: place,
      to: place + edit.to - edit.from,
      lines: edit.lines,
    };
    parts.push(base.slice(at, Math.max(at, from)), lines);
    at = to;
  }
  return [...parts, base.slice(at)].flat();
}

/**
 * An edit that restores lines which the agent removed there. The base has them already, so they are not added again.
 */
function restoredLines(
  base: Lines,
  edit: Hunk,
  place: number,
  hunks: readonly ReviewHunk[],
): Hunk | undefined {
  const gap = hunks.find(({ from, to }) => from === to && (from === edit.from || from === edit.to));
  const removed = gap ? base.slice(gap.oldFrom, gap.oldTo) : [];
  if (!gap || !removed.some((line) => edit.lines.includes(line))) return undefined;
  const isAfter = gap.from === edit.from;
  const lines = mergedOnce(removed, edit.lines, isAfter);
  return isAfter
    ? { from: gap.oldFrom, to: place + edit.to - edit.from, lines }
    : { from: place, to: gap.oldTo, lines };
}

/** The lines of both texts; common lines appear once. */
function mergedOnce(one: Lines, other: Lines, isOneFirst: boolean): Lines {
  const lines: string[] = [];
  let at = 0;
  for (const { from, to, lines: others } of cachedHunks(one, other)) {
    const own = one.slice(from, to);
    lines.push(...one.slice(at, from), ...(isOneFirst ? [...own, ...others] : [...others, ...own]));
    at = to;
  }
  return [...lines, ...one.slice(at)];
}

/** The row of an edit in the base; undefined inside of a hunk. */
function baseRowOf({ from, to }: Hunk, hunks: readonly ReviewHunk[]): number | undefined {
  let shift = 0;
  for (const hunk of hunks) {
    if (from < hunk.to && to > hunk.from) return undefined;
    if (hunk.to <= from) shift = hunk.oldTo - hunk.to;
  }
  return from + shift;
}
