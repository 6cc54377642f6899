import { diffWordsWithSpace, parsePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';
import { isRecord } from '../base.ts';
import { editsIn } from '../session/arguments.ts';
import type { Location, ToolContent, ToolEntry } from '../session/model.ts';
import { type Hunk, hasty, hunksBetween } from '../workspace/hunks.ts';

export type DiffContent = Extract<ToolContent, { kind: 'diff' }>;

/** What a call does to one file. */
export interface FileDiff {
  /** As the agent gave it: it may be relative. */
  readonly path: string;
  readonly kind: 'new' | 'written' | 'deleted' | 'changed';
  readonly added: number;
  readonly removed: number;
  /** As much of it as anybody would read in a chat. */
  readonly hunks: readonly DiffHunk[];
  /** The lines of all of it, those around the changes included. */
  readonly total: number;
  /** The rows are those of the file, and not of a part of it that may stand anywhere. */
  readonly isWhole: boolean;
  /** What it was made from. */
  readonly source: DiffContent | StructuredPatch;
}

export interface DiffHunk {
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
  /** From 1; of a line that was removed, where it was. */
  readonly row: number;
  /** The row after the change where it stands, or would stand. */
  readonly newRow: number;
  /** The parts that make the difference to the line it was or became. */
  readonly words: readonly (readonly [from: number, to: number])[];
}

const context = 3;
const maxLines = 1_000;
const maxPairs = 100;
const maxWordColumns = 500;
const maxWordChanges = 40;
const keptDiffs = 32;

/** Every change a call shows, in order: what it says itself, or else the patch or the texts among its arguments. */
export function diffsOf(tool: ToolEntry): readonly FileDiff[] {
  const { diffs: contents, rawInput, locations, toolKind } = tool;
  if (contents.length > 0) return contents.map((content) => diffOf(content, toolKind === 'delete'));
  if (!isRecord(rawInput)) return [];
  if (typeof rawInput.diff === 'string') return diffsOfPatch(rawInput, rawInput.diff, locations);
  const isEdit = toolKind === 'edit' || toolKind === 'other';
  return isEdit ? editsIn(rawInput).map((content) => diffOf(content, false)) : [];
}

const known = new WeakMap<DiffContent, FileDiff>();
/** Agents tell the same change with every step of a call. */
let lately: readonly FileDiff[] = [];

function diffOf(content: DiffContent, isDelete: boolean): FileDiff {
  const found = known.get(content) ?? lately.find(({ source }) => isSameDiff(source, content));
  const diff = found ?? { ...makeDiff(content), source: content };
  known.set(content, diff);
  if (!found) lately = [diff, ...lately].slice(0, keptDiffs);
  return isDelete && content.newText === '' ? { ...diff, kind: 'deleted' } : diff;
}

function isSameDiff(source: FileDiff['source'], { path, oldText, newText, isWhole }: DiffContent): boolean {
  if (!('kind' in source) || source.isWhole !== isWhole) return false;
  return source.path === path && source.oldText === oldText && source.newText === newText;
}

function makeDiff({ path, oldText, newText, isWhole }: DiffContent): Omit<FileDiff, 'source'> {
  const [before, after] = [linesOf(oldText ?? ''), linesOf(newText)];
  const hunks = hunksBetween(before, after, hasty);
  const groups = grouped(hunks);
  return {
    path,
    kind: isWhole ? 'written' : before.length === 0 ? 'new' : 'changed',
    added: hunks.reduce((sum, { lines }) => sum + lines.length, 0),
    removed: hunks.reduce((sum, { from, to }) => sum + to - from, 0),
    hunks: asFarAsRead(groups, (group, room) => hunkLines(before, group, room)),
    total: groups.reduce((sum, group) => sum + heightOf(before, group), 0),
    isWhole: before.length === 0,
  };
}

/** How many more lines of a file are worth showing, and how many of them word by word. */
interface Room {
  lines: number;
  pairs: number;
}

function asFarAsRead<T>(
  parts: readonly T[],
  linesOf: (part: T, room: Room) => readonly DiffLine[],
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

// How lines end is not what a reader looks for.
function linesOf(text: string): readonly string[] {
  const plain = text.replaceAll('\r\n', '\n');
  if (plain === '') return [];
  return (plain.endsWith('\n') ? plain.slice(0, -1) : plain).split('\n');
}

interface Group {
  readonly hunks: Hunk[];
  /** How many lines the changes above have added. */
  readonly shift: number;
}

/** Changes whose context would touch are shown as one. */
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

function hunkLines(before: readonly string[], { hunks, shift }: Group, room: Room): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let row = Math.max(0, hunks[0]!.from - context);
  let newRow = row + shift;
  const keepTo = (end: number) => {
    for (; row < end; row += 1, newRow += 1) lines.push(keptLine(before[row]!, newRow + 1));
  };
  for (const { from, to, lines: now } of hunks) {
    if (lines.length >= room.lines) return lines;
    keepTo(from);
    const old = before.slice(from, Math.min(to, from + maxLines));
    const rows = { row: row + 1, newRow: newRow + 1 };
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
  room: Room,
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

type Words = DiffLine['words'];

/** What differs between a line and what became of it; nothing where they have too little in common to say so. */
function wordsBetween(old: string, now: string): { readonly old: Words; readonly now: Words } | undefined {
  if (old.length > maxWordColumns || now.length > maxWordColumns) return undefined;
  const changes = diffWordsWithSpace(old, now, { maxEditLength: maxWordChanges });
  if (!changes) return undefined;
  const words = { old: [] as [number, number][], now: [] as [number, number][] };
  let [at, newAt, common] = [0, 0, 0];
  for (const { value, added, removed } of changes) {
    if (removed) words.old.push([at, at + value.length]);
    if (added) words.now.push([newAt, newAt + value.length]);
    if (!added && !removed) common += value.trim().length;
    if (!added) at += value.length;
    if (!removed) newAt += value.length;
  }
  return 3 * common >= Math.min(old.trim().length, now.trim().length) ? words : undefined;
}

const knownPatches = new WeakMap<object, readonly StructuredPatch[]>();

function diffsOfPatch(input: object, text: string, places: readonly Location[]): readonly FileDiff[] {
  const patches = knownPatches.get(input) ?? parse(text);
  knownPatches.set(input, patches);
  return patches.flatMap((patch) => diffOfPatch(patch, places));
}

function parse(text: string): readonly StructuredPatch[] {
  try {
    return parsePatch(text).filter(({ hunks }) => hunks.length > 0);
  } catch {
    return [];
  }
}

const nowhere = '/dev/null';

function diffOfPatch(patch: StructuredPatch, places: readonly Location[]): readonly FileDiff[] {
  const { oldFileName: from, newFileName: to, hunks } = patch;
  const name = to === nowhere ? from : to;
  if (name === undefined) return [];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const isNew = from === nowhere || hunks.every(({ oldLines }) => oldLines === 0);
  return [
    {
      path: pathOf(name, places),
      kind: isNew ? 'new' : to === nowhere ? 'deleted' : 'changed',
      added: lines.filter((line) => line.startsWith('+')).length,
      removed: lines.filter((line) => line.startsWith('-')).length,
      hunks: asFarAsRead(hunks, patchLines),
      total: lines.filter((line) => !line.startsWith('\\')).length,
      isWhole: true,
      source: patch,
    },
  ];
}

// git puts a letter for each side before a path, and takes the slash away from one that is absolute.
function pathOf(name: string, places: readonly Location[]): string {
  const bare = name.replace(/^[ab]\//, '');
  return places.find(({ path }) => path === name || path.endsWith(`/${bare}`))?.path ?? bare;
}

function patchLines(hunk: StructuredPatchHunk, room: Room): readonly DiffLine[] {
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
