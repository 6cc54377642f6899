import { computeHunksAsync } from '../../../diff/hunk-cache.ts';
import type { Hunk } from '../../../diff/hunks.ts';
import { applyHunks } from '../../../diff/merge.ts';

type Lines = readonly string[];
type Span = Pick<Hunk, 'from' | 'to'>;

/** A file on disk and in its buffer, and the text of it that an agent knows. */
interface KnownFile {
  readonly read: Lines;
  readonly disk: Lines;
  readonly buffer: Lines;
}

/**
 * What is on disk, and not in the text the agent knows, and was in one of these texts before: somebody has taken back
 * what the agent or the user wrote. Lines with unsaved text are left out.
 */
export async function newsFor(file: KnownFile, earlier: readonly Lines[]): Promise<readonly Hunk[]> {
  if (earlier.length === 0) return [];
  const saved = await savedNews(file);
  if (saved.length === 0) return [];
  const before = await Promise.all(earlier.map((text) => computeHunksAsync(file.read, text)));
  const old = new Set(before.flat().flatMap((hunk) => hunkLines(file.read, hunk).map(keyOf)));
  return saved.filter((hunk) => old.has(keyOf(hunk)));
}

/** The text an agent knows after it has read the disk. Where the buffer has unsaved text it knows what it knew. */
export async function afterReading(file: KnownFile): Promise<Lines> {
  return applyHunks(file.read, { from: 0, to: file.read.length }, await savedNews(file));
}

/** Whether the output of a call has the lines of the disk where the buffer has unsaved text, and not that text. */
export async function showsDisk({ disk, buffer }: KnownFile, output: string): Promise<boolean> {
  const shown = new Set(output.split('\n').map((line) => line.replace(lineNumber, '').trim()));
  const has = (line: string) => shown.has(line.trim());
  const unsaved = await computeHunksAsync(buffer, disk);
  return (
    unsaved.some(({ lines }) => lines.length > 0) &&
    unsaved.every(({ from, to, lines }) => lines.every(has) && !buffer.slice(from, to).some(has))
  );
}

/** Agents number the lines of a file in their own ways. */
const lineNumber = /^\s*\d+\s*[|:→\t ]/;

async function savedNews({ read, disk, buffer }: KnownFile): Promise<readonly Hunk[]> {
  const [news, shown] = await Promise.all([computeHunksAsync(read, disk), computeHunksAsync(read, buffer)]);
  const inBuffer = new Set(shown.flatMap((hunk) => hunkLines(read, hunk).map(keyOf)));
  return news.flatMap((hunk) => hunkLines(read, hunk)).filter((hunk) => inBuffer.has(keyOf(hunk)));
}

function keyOf({ from, to, lines }: Hunk): string {
  return JSON.stringify([from, to, lines]);
}

/** A hunk that replaces lines one by one, as hunks of single lines. */
export function hunkLines(base: Lines, hunk: Hunk): readonly Hunk[] {
  const { from, to, lines } = hunk;
  if (lines.length !== to - from) return [hunk];
  return lines.flatMap((line, index) => {
    const row = from + index;
    return line === base[row] ? [] : [{ from: row, to: row + 1, lines: [line] }];
  });
}

export function touches(one: Span, other: Span): boolean {
  return one.from <= other.to && one.to >= other.from;
}

// Removed lines are a position between two lines.
export function overlaps(one: Span, place: Span): boolean {
  return place.from === place.to ? touches(one, place) : one.from < place.to && one.to > place.from;
}
