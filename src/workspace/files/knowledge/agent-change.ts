import { computeHunksAsync } from '../../../diff/hunk-cache.ts';
import type { Hunk } from '../../../diff/hunks.ts';
import { sameLines } from '../../../diff/hunks.ts';
import { applyHunks, groupHunks, type HunkGroup, type Region } from '../../../diff/merge.ts';
import { hunkLines, newsFor, overlaps, touches } from './disk-news.ts';

type Lines = readonly string[];

/** A file on disk and the text in its buffer; where the two differ the user has unsaved text. */
export interface OpenText {
  readonly disk: Lines;
  readonly buffer: Lines;
}

/** The text that an agent read (of the buffer, of the disk, or an older one) and the text it wrote. */
export interface AgentChange {
  readonly read: Lines;
  readonly written: Lines;
  /** The texts that the agent knew before the one it read. */
  readonly earlier?: readonly Lines[];
  /** The agent asks for the text that it knows already, so it wants the file to have that text again. */
  readonly isRepeated?: boolean;
}

/**
 * A part of the file after the change. Settled: its lines on disk and in the buffer. Conflict: the agent changes lines
 * that have unsaved text, or writes the text it knows over them again; `disk` and `buffer` are the lines before that.
 */
export type ChangedPart =
  | ({ readonly kind: 'settled' } & OpenText)
  | ({ readonly kind: 'conflict'; readonly read: Lines; readonly written: Lines } & OpenText);

/**
 * Applies the agent's change to the disk and to the buffer, where the user's unsaved text stays. Both are compared with
 * the text the agent read, so that text of the user which the agent only repeats does not count as its change, and text
 * that was saved since stays where the agent does not write.
 */
export async function applyChange(open: OpenText, change: AgentChange): Promise<readonly ChangedPart[]> {
  const read = await withKnownNews(open, change);
  const texts = [open.disk, open.buffer, change.written];
  const sides = await Promise.all(texts.map((lines) => computeHunksAsync(read, lines)));
  const parts: ChangedPart[] = [];
  let at = 0;
  const pass = (to: number) => {
    const lines = read.slice(at, to);
    if (lines.length > 0) parts.push({ kind: 'settled', disk: lines, buffer: lines });
  };
  for (const group of groupHunks(sides)) {
    pass(group.from);
    parts.push(partOf(read, group, change.isRepeated));
    at = group.to;
  }
  pass(read.length);
  return parts;
}

function partOf(base: Lines, group: HunkGroup, isRepeated = false): ChangedPart {
  const read = base.slice(group.from, group.to);
  const lines = group.sides.map((hunks) => applyHunks(base, group, hunks));
  const [disk, buffer, written] = lines as [Lines, Lines, Lines];
  const agreed = (text: OpenText): ChangedPart => ({ kind: 'settled', ...text });
  const isUnsaved = !sameLines(disk, buffer);
  const isChanged = group.sides[2]!.length > 0;
  // The lines that the agent did not change stay as they are, unless it would be told that a text was written which is
  // nowhere.
  const isMissing = isRepeated && !sameLines(disk, written) && !sameLines(buffer, written);
  if (!isChanged && !isMissing) return agreed({ disk, buffer });
  if (sameLines(buffer, written)) return agreed({ disk: written, buffer });
  if (!isUnsaved) {
    const both = isChanged ? withSavedLines(base, group) : written;
    return agreed({ disk: both, buffer: both });
  }
  // The agent's text equals the disk there, so it is based on the disk and not on what it read before.
  if (sameLines(disk, written) && !sameLines(buffer, read)) return agreed({ disk, buffer });
  return { kind: 'conflict', disk, buffer, read, written };
}

/** The lines the agent wrote, and those saved since it read the file that are beside its own. */
function withSavedLines(base: Lines, group: HunkGroup): Lines {
  const [saved, , written] = group.sides as [readonly Hunk[], readonly Hunk[], readonly Hunk[]];
  if (saved.length === 0) return applyHunks(base, group, written);
  const kept = saved.flatMap((hunk) => hunkLines(base, hunk)).filter((hunk) => !isWritten(hunk, written));
  const all = [...kept, ...written].sort((one, other) => one.from - other.from || one.to - other.to);
  return applyHunks(base, group, all);
}

/** Whether the agent has written these lines too, or others in their place. */
function isWritten(saved: Hunk, written: readonly Hunk[]): boolean {
  return written.some((hunk) => {
    const areBothAdded = saved.from === saved.to && hunk.from === hunk.to && saved.from === hunk.from;
    if (areBothAdded) return saved.lines.every((line) => hunk.lines.includes(line));
    return saved.from < hunk.to && saved.to > hunk.from;
  });
}

/**
 * The text that the agent's change is based on: the text it read, with the lines of the disk that it must know. It has
 * known them before, or its new text agrees with them, so that it has read the disk itself. If the buffer still has the
 * lines the agent read, the agent has reverted the user's lines instead, and its change is not based on the disk.
 */
async function withKnownNews({ disk, buffer }: OpenText, change: AgentChange): Promise<Lines> {
  const { read, written, earlier = [] } = change;
  const news = await computeHunksAsync(read, disk);
  if (news.length === 0) return read;
  const known = await newsFor({ read, disk, buffer }, earlier);
  const [own, changed, unsaved] = await Promise.all([
    computeHunksAsync(disk, written),
    computeHunksAsync(read, written),
    computeHunksAsync(read, buffer),
  ]);
  let shift = 0;
  const agreed = news.flatMap((hunk) => {
    const { from, to, lines } = hunk;
    const place = { from: from + shift, to: from + shift + lines.length };
    shift += lines.length - (to - from);
    const isLikeDisk = !own.some((one) => overlaps(one, place));
    // Where a line is repeated, the new text may agree with the disk and with what the agent read.
    const isLikeRead = !changed.some((one) => overlaps(one, { from, to }));
    const isRead = isLikeDisk && !isLikeRead && unsaved.some((one) => touches(one, { from, to }));
    return isRead ? hunk : known.filter((part) => part.from >= from && part.to <= to);
  });
  return applyHunks(read, { from: 0, to: read.length }, agreed);
}

export function hasConflict(parts: readonly ChangedPart[]): boolean {
  return parts.some(({ kind }) => kind === 'conflict');
}

/** The lines of the file or of the buffer; conflicts have the lines before the change. */
export function partLines(parts: readonly ChangedPart[], where: keyof OpenText): Lines {
  return parts.flatMap((part) => part[where]);
}

/** The regions that the user chooses from. */
export function conflictRegions(parts: readonly ChangedPart[]): readonly Region[] {
  return parts.map((part) =>
    part.kind === 'settled'
      ? { kind: 'settled', lines: part.buffer }
      : { kind: 'conflict', ours: part.buffer, base: part.read, theirs: part.written },
  );
}

/**
 * The lines on disk after the user has chosen a text for the buffer. Where they had unsaved text the disk gets the
 * agent's lines, or keeps its own if they kept theirs. What they typed elsewhere meanwhile stays unsaved.
 */
export async function diskAfterChoice(parts: readonly ChangedPart[], chosen: Lines): Promise<Lines> {
  const before = partLines(parts, 'buffer');
  const hunks = await computeHunksAsync(before, chosen);
  let row = 0;
  return parts.flatMap((part) => {
    const place = { from: row, to: row + part.buffer.length };
    row = place.to;
    const isChanged = hunks.some((hunk) => touches(hunk, place));
    return part.kind === 'conflict' && isChanged ? part.written : part.disk;
  });
}
