import { merge, mergedLines } from '../merge.ts';
import { sameLines } from '../text.ts';
import type { Lines, Reviewed, ReviewHunk, Scope } from './review-model.ts';
import * as model from './review-model.ts';

/** What a file is at one time: nothing, lines, or something nobody reads line by line. */
export type Side =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly lines: Lines; readonly isProgram?: boolean }
  | { readonly kind: 'binary'; readonly blob: string; readonly file: 'file' | 'program' | 'link' };

/** A file under review, which may also be new, deleted or binary. */
export interface FileReview {
  readonly session: Side;
  readonly turn: Side;
  readonly now: Side;
}

export interface Counts {
  readonly added: number;
  readonly removed: number;
  readonly hunks: number;
}

const noLines: Lines = [];
export const none: Side = { kind: 'none' };

export function unchanged(side: Side): FileReview {
  return { session: side, turn: side, now: side };
}

export function sameSide(one: Side, other: Side): boolean {
  if (one === other) return true;
  if (one.kind === 'text' && other.kind === 'text') {
    return isProgram(one) === isProgram(other) && sameLines(one.lines, other.lines);
  }
  if (one.kind === 'binary' && other.kind === 'binary') {
    return one.blob === other.blob && one.file === other.file;
  }
  return one.kind === other.kind;
}

function isProgram(side: Side): boolean {
  return side.kind === 'text' && side.isProgram === true;
}

/** How the mode of a text changes. */
export function modeChange(from: Side, to: Side): 'executable' | 'not executable' | undefined {
  if (from.kind !== 'text' || to.kind !== 'text' || isProgram(from) === isProgram(to)) return undefined;
  return isProgram(to) ? 'executable' : 'not executable';
}

export function isChanged(file: FileReview, scope: Scope): boolean {
  return !sameSide(file[scope], file.now);
}

export function fileHunks(file: FileReview, scope: Scope): readonly ReviewHunk[] {
  const lines = linewise(file);
  return lines ? model.hunksOf(lines, scope) : [];
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

export function agentWrote(file: FileReview, now: Side): FileReview {
  return { ...file, now };
}

export function userWrote(file: FileReview, now: Side): FileReview {
  if (sameSide(file.now, now)) return file;
  const lines = now.kind === 'binary' ? undefined : linewise(file);
  if (!lines) return { session: follow(file, 'session', now), turn: follow(file, 'turn', now), now };
  const { bases } = model.userWrote(lines, linesIn(now));
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

/** In a file without lines to choose from, a hunk is all of it. */
export function keepHunk(file: FileReview, hunk: ReviewHunk | undefined): FileReview {
  const lines = linewise(file);
  if (!lines || !hunk) return keepFile(file);
  const { bases } = model.keepHunk(lines, hunk);
  const base = (scope: Scope) =>
    sameLines(bases[scope], lines.now) ? file.now : withLines(file[scope], bases[scope]);
  return { session: base('session'), turn: base('turn'), now: file.now };
}

export function rejectHunk(file: FileReview, scope: Scope, hunk: ReviewHunk | undefined): FileReview {
  const lines = linewise(file);
  if (!lines || !hunk) return rejectFile(file, scope);
  const { now, bases } = model.rejectHunk(lines, scope, hunk);
  if (sameLines(now, linesIn(file[scope]))) return rejectFile(file, scope);
  return { ...file, turn: withLines(file.turn, bases.turn), now: withLines(file.now, now) };
}

/** Takes back what made `after` of `before`, whatever happened since; undefined when that touched the same lines. */
export async function undone(
  file: FileReview,
  before: FileReview,
  after: FileReview,
): Promise<FileReview | undefined> {
  const back = (key: keyof FileReview) => sideBack(file[key], before[key], after[key]);
  const [session, turn, now] = await Promise.all([back('session'), back('turn'), back('now')]);
  return session && turn && now && { session, turn, now };
}

async function sideBack(current: Side, before: Side, after: Side): Promise<Side | undefined> {
  if (sameSide(before, after)) return current;
  if (sameSide(current, after)) return before;
  if (current.kind === 'binary' || before.kind === 'binary' || after.kind === 'binary') return undefined;
  const lines = mergedLines(await merge(linesIn(current), linesIn(after), linesIn(before)));
  return lines && withLines(before, lines);
}

/** The texts that are compared when a file becomes another one. */
export function comparisons(file: FileReview, now?: Side): readonly (readonly [Lines, Lines])[] {
  const [session, turn, was] = [file.session, file.turn, file.now].map(linesIn) as [Lines, Lines, Lines];
  const own = [[session, was] as const, [turn, was] as const];
  return now ? [...own, [was, linesIn(now)] as const] : own;
}

export function linesIn(side: Side): Lines {
  return side.kind === 'text' ? side.lines : noLines;
}

function linewise({ session, turn, now }: FileReview): Reviewed | undefined {
  if (session.kind === 'binary' || turn.kind === 'binary' || now.kind === 'binary') return undefined;
  return { bases: { session: linesIn(session), turn: linesIn(turn) }, now: linesIn(now) };
}

function withLines(side: Side, lines: Lines): Side {
  if (side.kind === 'text') return { ...side, lines };
  return lines.length === 0 ? side : { kind: 'text', lines };
}

function follow(file: FileReview, scope: Scope, now: Side): Side {
  return isChanged(file, scope) ? file[scope] : now;
}
