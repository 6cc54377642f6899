import type { Hunk } from '../hunks.ts';
import { hunksBetween } from '../known-hunks.ts';

/** Against what a text is reviewed: as it was before the session, or before its last turn. */
export type Scope = 'session' | 'turn';

export type Lines = readonly string[];

/**
 * A file under review. A base is the text without what the agent changed and the user has not kept: the user's own
 * changes are in it.
 */
export interface Reviewed {
  readonly bases: Readonly<Record<Scope, Lines>>;
  readonly now: Lines;
}

/** What the agent made of lines of the base. Rows from 0, `to` is the one after the last. */
export interface ReviewHunk {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly from: number;
  readonly to: number;
}

export function reviewOf(text: Lines): Reviewed {
  return { bases: { session: text, turn: text }, now: text };
}

export function hunksOf({ bases, now }: Reviewed, scope: Scope): readonly ReviewHunk[] {
  let shift = 0;
  return hunksBetween(bases[scope], now).map(({ from, to, lines }) => {
    const start = from + shift;
    shift += lines.length - (to - from);
    return { oldFrom: from, oldTo: to, from: start, to: start + lines.length };
  });
}

/** The hunk at a row, or the next one after it, or else the last. */
export function hunkNear(hunks: readonly ReviewHunk[], row: number): ReviewHunk | undefined {
  return hunks.find(({ from, to }) => row < Math.max(to, from + 1)) ?? hunks.at(-1);
}

export function agentWrote(file: Reviewed, now: Lines): Reviewed {
  return { ...file, now };
}

/** What the user changes is no change of the agent's, unless it is in lines that are. */
export function userWrote({ bases, now: before }: Reviewed, now: Lines): Reviewed {
  const edits = hunksBetween(before, now).flatMap(byLine(before));
  const moved = (base: Lines) => (edits.length === 0 ? base : transplant(base, before, edits));
  return { bases: { session: moved(bases.session), turn: moved(bases.turn) }, now };
}

export function beginTurn({ bases, now }: Reviewed): Reviewed {
  return { bases: { ...bases, turn: now }, now };
}

/** What is there now is as it should be, in every scope. */
export function keepHunk({ bases, now }: Reviewed, { from, to }: ReviewHunk): Reviewed {
  const keep = (base: Lines) => keptBase(base, now, from, to);
  return { bases: { session: keep(bases.session), turn: keep(bases.turn) }, now };
}

/** Exactly the old lines are back. Those from before the session are as they should be in its last turn too. */
export function rejectHunk({ bases, now: before }: Reviewed, scope: Scope, hunk: ReviewHunk): Reviewed {
  const old = bases[scope].slice(hunk.oldFrom, hunk.oldTo);
  const now = spliced(before, hunk.from, hunk.to, old);
  if (scope === 'turn') return { bases, now };
  return { bases: { ...bases, turn: keptBase(bases.turn, now, hunk.from, hunk.from + old.length) }, now };
}

export function keepAll(file: Reviewed): Reviewed {
  return reviewOf(file.now);
}

export function rejectAll(file: Reviewed, scope: Scope): Reviewed {
  return scope === 'session' ? reviewOf(file.bases.session) : { ...file, now: file.bases.turn };
}

export function isReviewed(file: Reviewed, scope: Scope): boolean {
  return hunksBetween(file.bases[scope], file.now).length === 0;
}

/** The base with what is there now in the hunks between two rows. */
function keptBase(base: Lines, now: Lines, from: number, to: number): Lines {
  const hunks = hunksOf({ bases: { session: base, turn: base }, now }, 'session');
  const kept = hunks.filter((hunk) => hunk.from >= from && hunk.to <= to);
  return kept.reduceRight<Lines>(
    (lines, hunk) => spliced(lines, hunk.oldFrom, hunk.oldTo, now.slice(hunk.from, hunk.to)),
    base,
  );
}

function spliced(lines: Lines, from: number, to: number, by: Lines): Lines {
  return [...lines.slice(0, from), ...by, ...lines.slice(to)];
}

// Where as many lines come as go, or all go, each stands for itself: one in a hunk of the agent leaves the others out.
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

/** Makes the edits of a text in another one too, where the two agree. */
function transplant(base: Lines, text: Lines, edits: readonly Hunk[]): Lines {
  const hunks = hunksOf({ bases: { session: base, turn: base }, now: text }, 'session');
  const parts: Lines[] = [];
  let at = 0;
  for (const edit of edits) {
    const place = placeOf(edit, hunks);
    if (place === undefined) continue;
    const { from, to, lines } = reunited(base, edit, place, hunks) ?? {
      from: place,
      to: place + edit.to - edit.from,
      lines: edit.lines,
    };
    parts.push(base.slice(at, Math.max(at, from)), lines);
    at = to;
  }
  return [...parts, base.slice(at)].flat();
}

/** An edit that brings back lines that the agent removed at this place: they are not there twice. */
function reunited(base: Lines, edit: Hunk, place: number, hunks: readonly ReviewHunk[]): Hunk | undefined {
  const gap = hunks.find(({ from, to }) => from === to && (from === edit.from || from === edit.to));
  const removed = gap ? base.slice(gap.oldFrom, gap.oldTo) : [];
  if (!gap || !removed.some((line) => edit.lines.includes(line))) return undefined;
  const isAfter = gap.from === edit.from;
  const lines = both(removed, edit.lines, isAfter);
  return isAfter
    ? { from: gap.oldFrom, to: place + edit.to - edit.from, lines }
    : { from: place, to: gap.oldTo, lines };
}

/** The lines of two texts, those in common once. */
function both(one: Lines, other: Lines, isOneFirst: boolean): Lines {
  const lines: string[] = [];
  let at = 0;
  for (const { from, to, lines: others } of hunksBetween(one, other)) {
    const own = one.slice(from, to);
    lines.push(...one.slice(at, from), ...(isOneFirst ? [...own, ...others] : [...others, ...own]));
    at = to;
  }
  return [...lines, ...one.slice(at)];
}

/** Where an edit is in the base; nowhere when it is in a hunk. */
function placeOf({ from, to }: Hunk, hunks: readonly ReviewHunk[]): number | undefined {
  let shift = 0;
  for (const hunk of hunks) {
    if (from < hunk.to && to > hunk.from) return undefined;
    if (hunk.to <= from) shift = hunk.oldTo - hunk.to;
  }
  return from + shift;
}
