import type { Hunk } from './hunks.ts';
import { findHunks } from './known-hunks.ts';
import { applyHunks, groupHunks, type HunkGroup, type Region } from './merge.ts';
import { sameLines } from './text.ts';

type Lines = readonly string[];

/** A file on disk and the text in its buffer; where the two differ the user has unsaved text. */
export interface OpenText {
  readonly disk: Lines;
  readonly buffer: Lines;
}

/** The text that an agent read, which may be that of the buffer, of the disk or an older one, and what it made of it. */
export interface AgentChange {
  readonly read: Lines;
  readonly written: Lines;
}

/**
 * A part of the file after the change. Settled: what it is on disk and in the buffer. Conflict: the agent changes lines
 * that it has not seen as they are, or in which the user has unsaved text; `disk` and `buffer` are what they were.
 */
export type ChangedPart =
  | ({ readonly kind: 'settled' } & OpenText)
  | ({ readonly kind: 'conflict'; readonly read: Lines; readonly written: Lines } & OpenText);

/**
 * Makes the agent's change on disk, where it comes alone, and in the buffer, where the user's unsaved text stays. Both
 * are compared with what the agent read, so that text of the user it merely gives back is no change of its own.
 */
export async function applyChange(open: OpenText, change: AgentChange): Promise<readonly ChangedPart[]> {
  const read = await withDiskAgreedOn(open, change);
  const texts = [open.disk, open.buffer, change.written];
  const sides = await Promise.all(texts.map((lines) => findHunks(read, lines)));
  const parts: ChangedPart[] = [];
  let at = 0;
  const pass = (to: number) => {
    const lines = read.slice(at, to);
    if (lines.length > 0) parts.push({ kind: 'settled', disk: lines, buffer: lines });
  };
  for (const group of groupHunks(sides)) {
    pass(group.from);
    parts.push(partOf(read, group));
    at = group.to;
  }
  pass(read.length);
  return parts;
}

function partOf(base: Lines, group: HunkGroup): ChangedPart {
  const read = base.slice(group.from, group.to);
  const lines = group.sides.map((hunks) => applyHunks(base, group, hunks));
  const [disk, buffer, written] = lines as [Lines, Lines, Lines];
  const agreed = (text: OpenText): ChangedPart => ({ kind: 'settled', ...text });
  if (group.sides[2]!.length === 0) return agreed({ disk, buffer });
  if (sameLines(buffer, written)) return agreed({ disk: written, buffer });
  const isUnsaved = !sameLines(disk, buffer);
  if (!isUnsaved && sameLines(disk, read)) return agreed({ disk: written, buffer: written });
  // The agent goes by what is on disk there, and not by what it read before.
  if (isUnsaved && sameLines(disk, written) && !sameLines(buffer, read)) return agreed({ disk, buffer });
  return { kind: 'conflict', disk, buffer, read, written };
}

/**
 * What the agent goes by: the text that it read, and the disk where that is another and the agent's new text agrees
 * with it, since the agent must have read the disk by itself. Where the buffer still is what the agent read, it has
 * taken something of the user's back, and does not go by the disk.
 */
async function withDiskAgreedOn({ disk, buffer }: OpenText, { read, written }: AgentChange): Promise<Lines> {
  const news = await findHunks(read, disk);
  if (news.length === 0) return read;
  const [own, unsaved] = await Promise.all([findHunks(disk, written), findHunks(read, buffer)]);
  let shift = 0;
  const agreed = news.filter(({ from, to, lines }) => {
    const place = { from: from + shift, to: from + shift + lines.length };
    shift += lines.length - (to - from);
    return !own.some((hunk) => overlaps(hunk, place)) && unsaved.some((hunk) => touches(hunk, { from, to }));
  });
  return applyHunks(read, { from: 0, to: read.length }, agreed);
}

type Span = Pick<Hunk, 'from' | 'to'>;

function touches(one: Span, other: Span): boolean {
  return one.from <= other.to && one.to >= other.from;
}

// What is gone is a place between two lines.
function overlaps(one: Span, place: Span): boolean {
  return place.from === place.to ? touches(one, place) : one.from < place.to && one.to > place.from;
}

export function hasConflict(parts: readonly ChangedPart[]): boolean {
  return parts.some(({ kind }) => kind === 'conflict');
}

/** The text of the file or of the buffer, with what it was in conflicts. */
export function linesOf(parts: readonly ChangedPart[], where: keyof OpenText): Lines {
  return parts.flatMap((part) => part[where]);
}

/** What the user is to choose from. */
export function regionsOf(parts: readonly ChangedPart[]): readonly Region[] {
  return parts.map((part) =>
    part.kind === 'settled'
      ? { kind: 'settled', lines: part.buffer }
      : { kind: 'conflict', ours: part.buffer, base: part.read, theirs: part.written },
  );
}

/**
 * The file on disk when the user has chosen a text for the buffer: where they had unsaved text it is what the agent
 * wrote, or what it was if they kept their own; elsewhere it is what they chose.
 */
export async function diskAfterChoice(parts: readonly ChangedPart[], chosen: Lines): Promise<Lines> {
  const before = linesOf(parts, 'buffer');
  const hunks = await findHunks(before, chosen);
  let row = 0;
  return parts.flatMap((part) => {
    const place = { from: row, to: row + part.buffer.length };
    row = place.to;
    const taken = hunks.filter((hunk) => touches(hunk, place));
    if (part.kind === 'settled' || taken.length === 0) return part.disk;
    if (!sameLines(part.disk, part.buffer)) return part.written;
    const inside = taken.filter(({ from, to }) => from >= place.from && to <= place.to);
    return applyHunks(before, place, inside);
  });
}
