import { sameLines } from '../../../diff/hunks.ts';
import { merge, mergedLines } from '../../../diff/merge.ts';
import { type FileContent, linesIn, sameContent } from '../../files/file-content.ts';
import type { FileReview } from '../../files/file-record.ts';
import type { LineReview, Lines, ReviewHunk, Scope } from './line-review.ts';
import * as lineReview from './line-review.ts';

interface Counts {
  readonly added: number;
  readonly removed: number;
  readonly hunks: number;
}

export function unchanged(content: FileContent): FileReview {
  return { session: content, turn: content, now: content };
}

export function isChanged(file: FileReview, scope: Scope): boolean {
  return !sameContent(file[scope], file.now);
}

export function fileHunks(file: FileReview, scope: Scope): readonly ReviewHunk[] {
  const lines = asLineReview(file);
  return lines ? lineReview.reviewHunks(lines, scope) : [];
}

export function countsOf(file: FileReview, scope: Scope): Counts {
  const hunks = fileHunks(file, scope);
  const sum = (size: (hunk: ReviewHunk) => number) => hunks.reduce((total, hunk) => total + size(hunk), 0);
  return {
    added: sum(({ from, to }) => to - from),
    removed: sum(({ oldFrom, oldTo }) => oldTo - oldFrom),
    hunks: hunks.length,
  };
}

export function agentWrote(file: FileReview, now: FileContent): FileReview {
  return { ...file, now };
}

export function userWrote(file: FileReview, now: FileContent): FileReview {
  if (sameContent(file.now, now)) return file;
  const lines = now.kind === 'binary' ? undefined : asLineReview(file);
  if (!lines) return { session: baseAfter(file, 'session', now), turn: baseAfter(file, 'turn', now), now };
  const { bases } = lineReview.applyUserEdit(lines, linesIn(now));
  const base = (scope: Scope) => (isChanged(file, scope) ? withLines(file[scope], bases[scope]) : now);
  return { session: base('session'), turn: base('turn'), now };
}

export function beginTurn(file: FileReview): FileReview {
  return { ...file, turn: file.now };
}

export function keepFile({ now }: FileReview): FileReview {
  return unchanged(now);
}

export function rejectFile(file: FileReview, scope: Scope): FileReview {
  return scope === 'session' ? unchanged(file.session) : { ...file, now: file.turn };
}

/** Without lines (a binary file), the hunk is the whole file. */
export function keepHunk(file: FileReview, hunk: ReviewHunk | undefined): FileReview {
  const lines = asLineReview(file);
  if (!lines || !hunk) return keepFile(file);
  const { bases } = lineReview.keepLines(lines, hunk);
  const base = (scope: Scope) =>
    sameLines(bases[scope], lines.now) ? file.now : withLines(file[scope], bases[scope]);
  return { session: base('session'), turn: base('turn'), now: file.now };
}

export function rejectHunk(file: FileReview, scope: Scope, hunk: ReviewHunk | undefined): FileReview {
  const lines = asLineReview(file);
  if (!lines || !hunk) return rejectFile(file, scope);
  const { now, bases } = lineReview.rejectLines(lines, scope, hunk);
  if (sameLines(now, linesIn(file[scope]))) return rejectFile(file, scope);
  return { ...file, turn: withLines(file.turn, bases.turn), now: withLines(file.now, now) };
}

/** Undoes the change from `before` to `after` in a file that has changed since; undefined if the same lines have. */
export async function undoDecision(
  file: FileReview,
  before: FileReview,
  after: FileReview,
): Promise<FileReview | undefined> {
  const back = (key: keyof FileReview) => undoContent(file[key], before[key], after[key]);
  const [session, turn, now] = await Promise.all([back('session'), back('turn'), back('now')]);
  return session && turn && now && { session, turn, now };
}

async function undoContent(
  current: FileContent,
  before: FileContent,
  after: FileContent,
): Promise<FileContent | undefined> {
  if (sameContent(before, after)) return current;
  if (sameContent(current, after)) return before;
  if (current.kind === 'binary' || before.kind === 'binary' || after.kind === 'binary') return undefined;
  const lines = mergedLines(await merge(linesIn(current), linesIn(after), linesIn(before)));
  return lines && withLines(before, lines);
}

/** The pairs of texts that are compared when the content of a file changes. */
export function comparedTexts(file: FileReview, now?: FileContent): readonly (readonly [Lines, Lines])[] {
  const [session, turn, was] = [file.session, file.turn, file.now].map(linesIn) as [Lines, Lines, Lines];
  const own = [[session, was] as const, [turn, was] as const];
  return now ? [...own, [was, linesIn(now)] as const] : own;
}

function asLineReview({ session, turn, now }: FileReview): LineReview | undefined {
  if (session.kind === 'binary' || turn.kind === 'binary' || now.kind === 'binary') return undefined;
  return { bases: { session: linesIn(session), turn: linesIn(turn) }, now: linesIn(now) };
}

function withLines(content: FileContent, lines: Lines): FileContent {
  if (content.kind === 'text') return { ...content, lines };
  return lines.length === 0 ? content : { kind: 'text', lines };
}

function baseAfter(file: FileReview, scope: Scope, now: FileContent): FileContent {
  return isChanged(file, scope) ? file[scope] : now;
}
