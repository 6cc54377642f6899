import { displayPath } from '../../base/paths.ts';
import { shorten } from '../../base/text.ts';
import type { Piece } from '../../ports/frame.ts';
import { moreLines } from '../format.ts';
import { byteLength, type Line, type LineCode, makeLine, type Span } from '../line.ts';
import { sanitise, sanitiseLine } from '../sanitise.ts';
import type { DiffContent, DiffLine, FileDiff } from './diff.ts';

/** What the lines of a diff depend on, apart from the diff. */
export interface DiffContext {
  readonly cwd: string;
  readonly home: string;
  /** The row in the file where the changed text starts, if it was found. */
  diffStart?(content: DiffContent): number | undefined;
}

const maxColumns = 500;
const indent = '    ';
const gap = '⋯';
const colours = { ' ': '', '-': 'AcpDiffDelete', '+': 'AcpDiffAdd' } as const;

/** The added and removed lines of a call, for the right edge of its heading. */
export function diffCounts(diffs: readonly FileDiff[]): readonly Piece[] {
  if (diffs.length === 0) return [];
  if (diffs.every(isWithoutChange)) return [[' no change', 'AcpMuted']];
  const sum = (count: (diff: FileDiff) => number) => diffs.reduce((all, diff) => all + count(diff), 0);
  const [added, removed] = [sum((diff) => diff.added), sum((diff) => diff.removed)];
  const [kind] = diffs.every((diff) => diff.kind === diffs[0]!.kind) ? [diffs[0]!.kind] : ['changed'];
  const figures: Piece[] = [];
  if (kind !== 'changed') figures.push([` ${kind}`, 'AcpMuted']);
  if (added > 0) figures.push([` +${added}`, 'AcpAdded']);
  if (removed > 0) figures.push([` -${removed}`, 'AcpRemoved']);
  return figures;
}

// Line ends are not shown, so a change of them has no hunk. Of a call that was cut, only counts are left.
function isWithoutChange({ kind, source, added, removed }: FileDiff): boolean {
  if (kind !== 'changed' || added + removed > 0) return false;
  return 'kind' in source && source.oldText === source.newText;
}

/** The diffs of a call, with at most `limit` lines each. Several diffs get a heading with their path. */
export function diffLines(diffs: readonly FileDiff[], places: DiffContext, limit: number): readonly Line[] {
  return diffs.flatMap((diff, index) => {
    const lines = fileDiffLines(diff, index, places, limit);
    return diffs.length === 1 ? lines : [pathLine(diff, index, places), ...lines];
  });
}

/** One heading per changed file. */
export function diffHeadings(diffs: readonly FileDiff[], places: DiffContext): readonly Line[] {
  return diffs.map((diff, index) => pathLine(diff, index, places));
}

function pathLine(diff: FileDiff, index: number, { cwd, home }: DiffContext): Line {
  const path = sanitiseLine(displayPath(diff.path, cwd, home));
  const line = makeLine([indent, ''], [path, 'AcpLink'], ...diffCounts([diff]));
  return { ...line, target: { diff: index, row: undefined } };
}

function fileDiffLines(diff: FileDiff, index: number, places: DiffContext, limit: number): readonly Line[] {
  const start = diff.kind === 'new' || diff.kind === 'written' ? undefined : firstFileRow(diff, places);
  const lines: Line[] = [];
  // If more lines are removed than added, the last line does not have the highest number.
  const last = (diff.hunks.at(-1)?.lines ?? []).reduce((highest, { row }) => Math.max(highest, row), 0);
  const width = start === undefined ? 0 : String(last + start - 1).length;
  const code = codeOf(diff.path, width);
  let shown = 0;
  for (const [at, hunk] of diff.hunks.entries()) {
    if (shown >= limit) break;
    if (at > 0) lines.push(makeLine([`${indent}${gap}`, 'AcpMuted']));
    for (const line of hunk.lines.slice(0, limit - shown)) {
      const number = start === undefined ? '' : `${String(line.row + start - 1).padStart(width)} `;
      lines.push({ ...shownLine(line, number), code, target: { diff: index, row: line.newRow } });
      shown += 1;
    }
  }
  const rest = diff.total - shown;
  return rest > 0 ? [...lines, makeLine([`${indent}${moreLines(rest)}`, 'AcpMuted'])] : lines;
}

// The text of a line follows its number and its sign.
function codeOf(path: string, numberWidth: number): LineCode {
  const number = numberWidth === 0 ? 0 : numberWidth + 1;
  const language = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return { language, indent: indent.length + number + 2, isDiff: true };
}

/** The first row of a diff in its file; undefined if it is not known. */
function firstFileRow({ hasFileRows, source }: FileDiff, places: DiffContext): number | undefined {
  if (hasFileRows) return 1;
  return 'kind' in source ? places.diffStart?.(source) : undefined;
}

function shownLine({ sign, text, words }: DiffLine, number: string): Line {
  const shown = shorten(sanitise(text), maxColumns);
  const head = makeLine([indent, ''], [number, 'AcpMuted']);
  const colour = colours[sign];
  const from = byteLength(head.text);
  const line = shown === '' ? `${head.text}${sign}`.trimEnd() : `${head.text}${sign} ${shown}`;
  if (colour === '') return { ...head, text: line };
  const whole: Span = { from, to: -1, hl: colour };
  return { text: line, spans: [...(head.spans ?? []), whole, ...wordSpans(text, shown, words, from + 2)] };
}

// Columns of the original text do not fit a text that was sanitised.
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
