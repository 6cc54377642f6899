import { resolveConflicts } from '../../../diff/conflict-markers.ts';
import { computeHunksAsync } from '../../../diff/hunk-cache.ts';
import { merge } from '../../../diff/merge.ts';
import type { FileRecord } from '../file-record.ts';

/** Some lines of a text, counted from 1. */
interface LineRange {
  readonly line: number;
  readonly limit: number | undefined;
}

/** The user takes back a few writes at most. */
const maxEarlier = 4;

/** The agent has read the whole text. */
export function noteRead(record: FileRecord, text: string): void {
  noteWritten(record, text);
}

/**
 * The agent has written a text. That is what it knows: neither the user's unsaved text beside it, nor what a formatter
 * made of it (`formatted`).
 */
export function noteWritten(record: FileRecord, text: string, formatted?: string): void {
  const { agentText, earlierTexts } = record;
  if (agentText !== undefined && agentText !== text)
    record.earlierTexts = [...earlierTexts.filter((one) => one !== agentText), agentText].slice(-maxEarlier);
  record.agentText = text;
  record.formattedText = formatted;
}

/** The user has rejected, restored or undone a change, which the agent is taken to know. */
export async function noteTakenBack(record: FileRecord, before: string, after: string): Promise<void> {
  const { agentText, formattedText } = record;
  record.expected = undefined;
  if (agentText === undefined) return;
  const changed = (text: string) => withChange(text, before, after);
  noteWritten(record, await changed(agentText), formattedText && (await changed(formattedText)));
}

async function withChange(text: string, before: string, after: string): Promise<string> {
  const [ours, base, theirs] = [text, before, after].map((one) => one.split('\n'));
  return resolveConflicts(await merge(ours!, base!, theirs!), 'theirs').join('\n');
}

/** The agent has read some lines of a text. */
export async function noteLinesRead(record: FileRecord, text: string, range: LineRange): Promise<void> {
  const last = record.agentText;
  const known = last ?? record.base?.text;
  const seen = known === undefined || known === text ? text : await mergeSeenLines(known, text, range);
  // A write meanwhile replaces what the agent knows.
  if (record.agentText === last) record.agentText = seen;
}

/** The text as an agent knows it after it has read some lines: those as they are now, the others as they were. */
export async function mergeSeenLines(
  known: string,
  now: string,
  { line, limit = Number.POSITIVE_INFINITY }: LineRange,
): Promise<string> {
  const [first, end] = [line - 1, line - 1 + limit];
  const [before, after] = [known.split('\n'), now.split('\n')];
  const parts: (readonly string[])[] = [];
  let [at, shift] = [0, 0];
  for (const hunk of await computeHunksAsync(before, after)) {
    const start = hunk.from + shift;
    // Removed lines are noticed only if the lines before and after them are read.
    const isGone = hunk.lines.length === 0 && start > 0;
    const isSeen = start - Number(isGone) >= first && start + Math.max(hunk.lines.length, 1) <= end;
    parts.push(before.slice(at, hunk.from), isSeen ? hunk.lines : before.slice(hunk.from, hunk.to));
    at = hunk.to;
    shift += hunk.lines.length - (hunk.to - hunk.from);
  }
  return [...parts, before.slice(at)].flat().join('\n');
}

/**
 * The text an agent writes, with the formatting of its last text kept in lines that the agent did not change again.
 * Otherwise the agent would seem to revert everything a formatter did.
 */
export async function keepFormatting(
  formatted: readonly string[],
  last: readonly string[],
  next: readonly string[],
): Promise<readonly string[]> {
  return resolveConflicts(await merge(formatted, last, next), 'theirs');
}
