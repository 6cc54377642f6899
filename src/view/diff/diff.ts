import { diffWordsWithSpace, parsePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';
import { computeHunks, fastLimits, type Hunk } from '../../diff/hunks.ts';
import type { Location, OmittedLines, ToolContent } from '../../model/entries.ts';

export type DiffContent = Extract<ToolContent, { kind: 'diff' }>;

/** The change of one file by a tool call. */
export interface FileDiff {
  /** As the agent sent it, so it may be relative. */
  readonly path: string;
  readonly kind: 'new' | 'written' | 'deleted' | 'changed';
  readonly added: number;
  readonly removed: number;
  /** Limited to what can be read in a chat; `total` has the full count. */
  readonly hunks: readonly DiffHunk[];
  /** The number of lines of all hunks, context included. */
  readonly total: number;
  /** Rows count from the start of the file, not from the start of a part of it. */
  readonly hasFileRows: boolean;
  readonly source: DiffContent | StructuredPatch;
}

interface DiffHunk {
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
  /** From 1. For a removed line, its row before the change. */
  readonly row: number;
  /** Its row after the change; for a removed line, the row where it would be. */
  readonly newRow: number;
  /** The ranges that differ from the matching line on the other side. */
  readonly words: readonly (readonly [from: number, to: number])[];
}

const context = 3;
const maxLines = 1_000;
const maxPairs = 100;
const maxWordColumns = 500;
const maxWordChanges = 40;
const nothingOmitted: OmittedLines = { added: 0, removed: 0, shown: 0, equal: [] };

/** The change of a file that an agent describes by its text before and after. */
export function diffFromTexts(source: DiffContent): FileDiff {
  const { path, oldText, newText, replacesFile, omitted = nothingOmitted } = source;
  const [before, after] = [normalisedLines(oldText ?? ''), normalisedLines(newText)];
  const hunks = computeHunks(before, after, fastLimits);
  const groups = grouped(hunks);
  return {
    path,
    kind: replacesFile ? 'written' : before.length === 0 ? 'new' : 'changed',
    added: hunks.reduce((sum, { lines }) => sum + lines.length, omitted.added),
    removed: hunks.reduce((sum, { from, to }) => sum + to - from, omitted.removed),
    hunks: limitHunks(groups, (group, room) => hunkLines(before, group, room, omitted)),
    total: groups.reduce((sum, group) => sum + heightOf(before, group), omitted.shown),
    hasFileRows: before.length === 0,
    source,
  };
}

/** How many more lines of a file are shown, and how many pairs of lines are compared word by word. */
interface RemainingLines {
  lines: number;
  pairs: number;
}

function limitHunks<T>(
  parts: readonly T[],
  linesOf: (part: T, room: RemainingLines) => readonly DiffLine[],
): readonly DiffHunk[] {
  const room = { lines: maxLines, pairs: maxPairs };
  const hunks: DiffHunk[] = [];
  for (const part of parts) {
    if (room.lines <= 0) break;
    const lines = linesOf(part, room);
    hunks.push({ lines });
    room.lines -= lines.length;
  }
  return hunks;
}

// Changes of line endings are not shown.
function normalisedLines(text: string): readonly string[] {
  const plain = text.replaceAll('\r\n', '\n');
  if (plain === '') return [];
  return (plain.endsWith('\n') ? plain.slice(0, -1) : plain).split('\n');
}

interface Group {
  readonly hunks: Hunk[];
  /** Lines added minus lines removed by the hunks above. */
  readonly shift: number;
}

/** Joins hunks whose context lines touch. */
function grouped(hunks: readonly Hunk[]): readonly Group[] {
  const groups: Group[] = [];
  let shift = 0;
  for (const hunk of hunks) {
    const last = groups.at(-1);
    if (last && hunk.from - last.hunks.at(-1)!.to <= 2 * context) last.hunks.push(hunk);
    else groups.push({ hunks: [hunk], shift });
    shift += hunk.lines.length - (hunk.to - hunk.from);
  }
  return groups;
}

function heightOf(before: readonly string[], { hunks }: Group): number {
  const start = Math.max(0, hunks[0]!.from - context);
  const end = Math.min(before.length, hunks.at(-1)!.to + context);
  return end - start + hunks.reduce((sum, { lines }) => sum + lines.length, 0);
}

function hunkLines(
  before: readonly string[],
  { hunks, shift }: Group,
  room: RemainingLines,
  { equal }: OmittedLines,
): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let row = Math.max(0, hunks[0]!.from - context);
  // No lines are left out within a group.
  const skipped = equal.reduce((sum, { above, count }) => (above <= row ? sum + count : sum), 0);
  let newRow = row + shift + skipped;
  const keepTo = (end: number) => {
    for (; row < end; row += 1, newRow += 1) lines.push(keptLine(before[row]!, newRow + 1));
  };
  for (const { from, to, lines: now } of hunks) {
    if (lines.length >= room.lines) return lines;
    keepTo(from);
    const old = before.slice(from, Math.min(to, from + maxLines));
    const rows = { row: row + skipped + 1, newRow: newRow + 1 };
    lines.push(...changedLines(old, now.slice(0, maxLines), rows, room));
    row = to;
    newRow += now.length;
  }
  keepTo(Math.min(before.length, row + context));
  return lines;
}

function keptLine(text: string, row: number): DiffLine {
  return { sign: ' ', text, row, newRow: row, words: [] };
}

function changedLines(
  old: readonly string[],
  now: readonly string[],
  { row, newRow }: Pick<DiffLine, 'row' | 'newRow'>,
  room: RemainingLines,
): readonly DiffLine[] {
  const paired = Math.min(old.length, now.length, room.pairs);
  room.pairs -= paired;
  const pairs = old.slice(0, paired).map((line, at) => wordsBetween(line, now[at]!));
  const removed = old.map(
    (text, at): DiffLine => ({ sign: '-', text, row: row + at, newRow, words: pairs[at]?.old ?? [] }),
  );
  const added = now.map((text, at): DiffLine => {
    const place = newRow + at;
    return { sign: '+', text, row: place, newRow: place, words: pairs[at]?.now ?? [] };
  });
  return [...removed, ...added];
}

type WordRanges = DiffLine['words'];

/** The words that differ between two versions of a line; undefined if they have too little in common. */
function wordsBetween(
  old: string,
  now: string,
): { readonly old: WordRanges; readonly now: WordRanges } | undefined {
  if (old.length > maxWordColumns || now.length > maxWordColumns) return undefined;
  const changes = diffWordsWithSpace(old, now, { maxEditLength: maxWordChanges });
  if (!changes) return undefined;
  const words = { old: [] as [number, number][], now: [] as [number, number][] };
  let [at, newAt, common] = [0, 0, 0];
  for (const { value, added, removed } of changes) {
    if (removed) addRange(words.old, at, at + value.length);
    if (added) addRange(words.now, newAt, newAt + value.length);
    if (!added && !removed && value.trim() !== '') common += value.length;
    if (!added) at += value.length;
    if (!removed) newAt += value.length;
  }
  return 2 * common >= Math.max(old.trim().length, now.trim().length) ? words : undefined;
}

// A blank or a comma between two marked words is marked too.
function addRange(ranges: [number, number][], from: number, to: number): void {
  const last = ranges.at(-1);
  if (last && from - last[1] <= 1) last[1] = to;
  else ranges.push([from, to]);
}

/** The patches in a text; empty if it is not a valid patch. */
export function parsePatches(text: string): readonly StructuredPatch[] {
  try {
    return parsePatch(text).filter(({ hunks }) => hunks.length > 0);
  } catch {
    return [];
  }
}

const nullFile = '/dev/null';

/** Whether a text is the patch of a file that stays as it is: it has names, and neither lines nor another name or mode. */
export function isPatchWithoutChange(text: string): boolean {
  const lines = text.split(/\r?\n/).filter((line) => line !== '' && !/^(Index: .*|=+)$/.test(line));
  const [from, to] = lines.map((line) =>
    line
      .slice('--- '.length)
      .replace(/\t.*$/, '')
      .replace(/^[ab]\//, ''),
  );
  const isNamed = lines.length === 2 && lines[0]!.startsWith('--- ') && lines[1]!.startsWith('+++ ');
  return isNamed && from === to;
}

/** The change of a file that a patch describes. `locations` may have the absolute path of the file. */
export function diffFromPatch(patch: StructuredPatch, places: readonly Location[]): readonly FileDiff[] {
  const { oldFileName: from, newFileName: to, hunks } = patch;
  const name = to === nullFile ? from : to;
  if (name === undefined) return [];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const isNew = from === nullFile || hunks.every(({ oldLines }) => oldLines === 0);
  return [
    {
      path: patchPath(name, places),
      kind: isNew ? 'new' : to === nullFile ? 'deleted' : 'changed',
      added: lines.filter((line) => line.startsWith('+')).length,
      removed: lines.filter((line) => line.startsWith('-')).length,
      hunks: limitHunks(hunks, patchLines),
      total: lines.filter((line) => !line.startsWith('\\')).length,
      hasFileRows: true,
      source: patch,
    },
  ];
}

// git prefixes paths with `a/` or `b/`, and drops the leading slash of absolute ones.
function patchPath(name: string, places: readonly Location[]): string {
  const bare = name.replace(/^[ab]\//, '');
  return places.find(({ path }) => path === name || path.endsWith(`/${bare}`))?.path ?? bare;
}

function patchLines(hunk: StructuredPatchHunk, room: RemainingLines): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [row, newRow] = [hunk.oldStart, hunk.newStart];
  let old: string[] = [];
  let now: string[] = [];
  const flush = () => {
    lines.push(...changedLines(old, now, { row, newRow }, room));
    [row, newRow] = [row + old.length, newRow + now.length];
    [old, now] = [[], []];
  };
  for (const line of hunk.lines.slice(0, room.lines)) {
    const text = line.slice(1);
    if (line.startsWith('-')) old.push(text);
    else if (line.startsWith('+')) now.push(text);
    else if (!line.startsWith('\\')) {
      flush();
      lines.push(keptLine(text, newRow));
      [row, newRow] = [row + 1, newRow + 1];
    }
  }
  flush();
  return lines;
}
