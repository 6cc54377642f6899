import { shorten } from '../base.ts';
import type { DiffContent, DiffLine, FileDiff } from './diff.ts';
import { moreLines, shortPath } from './format.ts';
import { byteLength, type Line, lineOf, type Piece, type Span } from './line.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';

/** Where what is shown stands. */
export interface DiffPlaces {
  readonly cwd: string;
  readonly home: string;
  /** The row at which the part of a file that a change is about begins, if it was found. */
  startOf?(content: DiffContent): number | undefined;
}

const maxColumns = 500;
const indent = '    ';
const gap = '⋯';
const colours = { ' ': '', '-': 'AcpDiffDelete', '+': 'AcpDiffAdd' } as const;

/** How much a call changes, for its line. */
export function diffFigures(diffs: readonly FileDiff[]): readonly Piece[] {
  if (diffs.length === 0) return [];
  const sum = (count: (diff: FileDiff) => number) => diffs.reduce((all, diff) => all + count(diff), 0);
  const [added, removed] = [sum((diff) => diff.added), sum((diff) => diff.removed)];
  const [kind] = diffs.every((diff) => diff.kind === diffs[0]!.kind) ? [diffs[0]!.kind] : ['changed'];
  const figures: Piece[] = [];
  if (kind !== 'changed') figures.push([` ${kind}`, 'AcpMuted']);
  if (added > 0) figures.push([` +${added}`, 'AcpAdded']);
  if (removed > 0) figures.push([` -${removed}`, 'AcpRemoved']);
  return figures;
}

/** The changes of a call, each below its path where there are several; at most so many lines of each file. */
export function diffLines(diffs: readonly FileDiff[], places: DiffPlaces, limit: number): readonly Line[] {
  return diffs.flatMap((diff, index) => {
    const lines = fileLines(diff, index, places, limit);
    return diffs.length === 1 ? lines : [pathLine(diff, index, places), ...lines];
  });
}

/** The files a call changes, and how much of each. */
export function diffHeadings(diffs: readonly FileDiff[], places: DiffPlaces): readonly Line[] {
  return diffs.map((diff, index) => pathLine(diff, index, places));
}

function pathLine(diff: FileDiff, index: number, { cwd, home }: DiffPlaces): Line {
  const path = sanitiseLine(shortPath(diff.path, cwd, home));
  const line = lineOf([indent, ''], [path, 'AcpLink'], ...diffFigures([diff]));
  return { ...line, target: { diff: index, row: undefined } };
}

function fileLines(diff: FileDiff, index: number, places: DiffPlaces, limit: number): readonly Line[] {
  const start = diff.kind === 'new' || diff.kind === 'written' ? undefined : startOf(diff, places);
  const lines: Line[] = [];
  // Where more is removed than added, the last line has not the highest number.
  const last = (diff.hunks.at(-1)?.lines ?? []).reduce((highest, { row }) => Math.max(highest, row), 0);
  const width = start === undefined ? 0 : String(last + start - 1).length;
  let shown = 0;
  for (const [at, hunk] of diff.hunks.entries()) {
    if (shown >= limit) break;
    if (at > 0) lines.push(lineOf([`${indent}${gap}`, 'AcpMuted']));
    for (const line of hunk.lines.slice(0, limit - shown)) {
      const number = start === undefined ? '' : `${String(line.row + start - 1).padStart(width)} `;
      lines.push({ ...shownLine(line, number), target: { diff: index, row: line.newRow } });
      shown += 1;
    }
  }
  const rest = diff.total - shown;
  return rest > 0 ? [...lines, lineOf([`${indent}${moreLines(rest)}`, 'AcpMuted'])] : lines;
}

/** 1 when the rows of a change are those of its file. */
export function startOf({ isWhole, source }: FileDiff, places: DiffPlaces): number | undefined {
  if (isWhole) return 1;
  return 'kind' in source ? places.startOf?.(source) : undefined;
}

function shownLine({ sign, text, words }: DiffLine, number: string): Line {
  const shown = shorten(sanitise(text), maxColumns);
  const head = lineOf([indent, ''], [number, 'AcpMuted']);
  const colour = colours[sign];
  const from = byteLength(head.text);
  const line = shown === '' ? `${head.text}${sign}`.trimEnd() : `${head.text}${sign} ${shown}`;
  if (colour === '') return { ...head, text: line };
  const whole: Span = { from, to: byteLength(line), hl: colour };
  return { text: line, spans: [...(head.spans ?? []), whole, ...wordSpans(text, shown, words, from + 2)] };
}

// What is not shown as it is can't be marked by its columns.
function wordSpans(text: string, shown: string, words: DiffLine['words'], at: number): readonly Span[] {
  const isCut = shown.endsWith('…') && text.startsWith(shown.slice(0, -1));
  if (shown !== text && !isCut) return [];
  return words
    .filter(([, to]) => to < shown.length || shown === text)
    .map(([from, to]) => ({
      from: at + byteLength(text.slice(0, from)),
      to: at + byteLength(text.slice(0, to)),
      hl: 'AcpDiffText',
    }));
}
