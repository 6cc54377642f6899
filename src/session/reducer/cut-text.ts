import { characterBoundary, copyText, countOf, describeSize, shorten } from '../../base/text.ts';
import { computeHunks, fastLimits, type Hunk, type Lines } from '../../diff/hunks.ts';
import type { Diff, OmittedLines } from '../../model/entries.ts';
import { commandLikeNames } from '../../model/tools/tool-arguments.ts';

/** Of one text that is cut, in characters. */
const maxText = 4 * 1024;
/** Of a line of a diff; the transcript shows no more of it. */
const maxLine = 500;
const contextLines = 3;
/** With the note, a text that was cut is not longer than one that is not cut. */
const noteLength = 100;
const maxFields = 100;
const maxDepth = 20;
/** What an item of a list takes beside its text. */
const itemSize = 16;

/** How many characters may still be kept, and what stands in the place of the others. */
export interface Room {
  left: number;
  /** `size`: what is left out, for the user to read. */
  readonly note: (size: string) => string;
}

/** The beginning and the end of a long text. */
export function cutText(text: string, room: Room): string {
  const most = Math.max(0, Math.min(maxText, room.left));
  room.left -= Math.min(text.length, most);
  if (text.length <= most) return text;
  const half = Math.max(0, Math.floor(most / 2) - noteLength);
  const head = endOfLine(text, half);
  const tail = startOfLine(text, text.length - half);
  const note = room.note(describePart(text, head, tail));
  const begin = head === 0 || text[head - 1] === '\n' ? text.slice(0, head) : `${text.slice(0, head)}\n`;
  return copyText(`${begin}${note}\n${text.slice(tail)}`);
}

/** The arguments or the result of a call with long texts cut, and without the last fields of long lists and records. */
export function cutValue(value: unknown, room: Room, depth = 0): unknown {
  if (typeof value === 'string') return cutText(value, room);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth || room.left <= 0) return '…';
  if (Array.isArray(value)) return cutList(value, room, depth);
  const fields = Object.entries(value).slice(0, maxFields);
  return Object.fromEntries(
    // The user consents to commands, and rules judge them, so they stay whole.
    fields.map(([name, item]) => [
      name,
      commandLikeNames.includes(name) ? item : cutValue(item, room, depth + 1),
    ]),
  );
}

function cutList(list: readonly unknown[], room: Room, depth: number): readonly unknown[] {
  const items: unknown[] = [];
  for (const item of list) {
    room.left -= itemSize;
    if (room.left <= 0) return [...items, '…'];
    items.push(cutValue(item, room, depth + 1));
  }
  return items;
}

/** The first changed lines of a long diff, with the lines around them. */
export function cutDiff(diff: Diff, room: Room): Diff {
  const { oldText = '', newText } = diff;
  const length = oldText.length + newText.length;
  if (length <= Math.min(maxText, room.left)) {
    room.left -= length;
    return diff;
  }
  const before = linesOf(oldText);
  const hunks = computeHunks(before, linesOf(newText), fastLimits);
  const { old, now, equal } = excerptOf(before, hunks, Math.max(maxLine, Math.min(maxText, room.left)));
  const kept = figuresOf(old, computeHunks(old, now, fastLimits));
  const all = figuresOf(before, hunks, diff.omitted);
  room.left -= maxText;
  return {
    ...diff,
    oldText: diff.oldText && copyText(old.join('\n')),
    newText: copyText(now.join('\n')),
    omitted: {
      added: all.added - kept.added,
      removed: all.removed - kept.removed,
      shown: all.shown - kept.shown,
      equal: diff.omitted?.equal ?? equal,
    },
  };
}

/** The lines of both texts from the first change on, up to so many characters. Equal lines far from changes are left out. */
function excerptOf(
  before: Lines,
  hunks: readonly Hunk[],
  most: number,
): Pick<OmittedLines, 'equal'> & { readonly old: Lines; readonly now: Lines } {
  const [old, now]: [string[], string[]] = [[], []];
  let left = most;
  let row = Math.max(0, (hunks[0]?.from ?? 0) - contextLines);
  const equal = [{ above: 0, count: row }];
  const keep = (line: string | undefined, ...texts: readonly string[][]) => {
    if (line === undefined || left <= 0) return;
    const shown = shorten(line, maxLine);
    left -= shown.length + 1;
    for (const text of texts) text.push(shown);
  };
  const keepTo = (end: number) => {
    // One line more than the context of two changes stands for all others between them.
    const skipped = Math.max(0, end - row - 2 * contextLines - 1);
    for (let at = row; at < end; at += 1)
      if (at <= row + contextLines || at > row + contextLines + skipped) keep(before[at], old, now);
      else if (at === row + contextLines + 1) equal.push({ above: old.length, count: skipped });
  };
  for (const { from, to, lines } of hunks) {
    if (left <= 0) break;
    keepTo(from);
    const changed = Math.max(to - from, lines.length);
    for (let at = 0; at < changed && left > 0; at += 1) {
      keep(from + at < to ? before[from + at] : undefined, old);
      keep(lines[at], now);
    }
    row = to;
  }
  if (left > 0) keepTo(Math.min(before.length, row + contextLines));
  return { old, now, equal };
}

/** The changed lines, and those that a reader sees of a diff. */
function figuresOf(
  before: Lines,
  hunks: readonly Hunk[],
  omitted: Omit<OmittedLines, 'equal'> = { added: 0, removed: 0, shown: 0 },
) {
  let { added, removed, shown } = omitted;
  let end = 0;
  for (const [index, { from, to, lines }] of hunks.entries()) {
    added += lines.length;
    removed += to - from;
    shown += lines.length + to - from + Math.min(from - end, index === 0 ? contextLines : 2 * contextLines);
    end = to;
  }
  if (hunks.length > 0) shown += Math.min(before.length - end, contextLines);
  return { added, removed, shown };
}

function linesOf(text: string): Lines {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function describePart(text: string, from: number, to: number): string {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  const size = describeSize(to - from);
  return lines === 0 ? size : `${countOf(lines, 'line')} (${size})`;
}

function endOfLine(text: string, most: number): number {
  const end = text.lastIndexOf('\n', most - 1) + 1;
  return end > 0 ? end : characterBoundary(text, most);
}

function startOfLine(text: string, least: number): number {
  const start = text.indexOf('\n', least) + 1;
  return start > 0 && start < text.length ? start : characterBoundary(text, least);
}
