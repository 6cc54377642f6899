import { resolved } from './conflict.ts';
import { findHunks } from './known-hunks.ts';
import { merge } from './merge.ts';

/** Some lines of a text, counted from 1. */
export interface LineRange {
  readonly line: number;
  readonly limit: number | undefined;
}

/** What the agent of a session knows of each file. */
export class Sight {
  private readonly texts = new Map<string, string>();
  /** What a formatter of the user made of that when it was saved, and the agent does not know. */
  private readonly formatted = new Map<string, string>();

  /** The text that the agent last read or wrote. */
  of(file: string): string | undefined {
    return this.texts.get(file);
  }

  formattedOf(file: string): string | undefined {
    return this.formatted.get(file);
  }

  learn(file: string, text: string): void {
    this.wrote(file, text);
  }

  /** What the agent knows is what it wrote, not what the user has beside that, nor what a formatter made of it. */
  wrote(file: string, text: string, formatted?: string): void {
    this.texts.set(file, text);
    if (formatted === undefined) this.formatted.delete(file);
    else this.formatted.set(file, formatted);
  }

  /** The agent has seen some lines. `base`: what the file was, if the agent has not seen it yet. */
  async glimpse(file: string, text: string, range: LineRange, base: string | undefined): Promise<void> {
    const last = this.texts.get(file);
    const known = last ?? base;
    const seen = known === undefined || known === text ? text : await glimpsed(known, text, range);
    // What was written meanwhile is what the agent knows.
    if (this.texts.get(file) === last) this.texts.set(file, seen);
  }
}

/** What an agent knows of a text that it has seen some lines of: those as they are, and the others as they were. */
export async function glimpsed(
  known: string,
  now: string,
  { line, limit = Number.POSITIVE_INFINITY }: LineRange,
): Promise<string> {
  const [first, end] = [line - 1, line - 1 + limit];
  const [before, after] = [known.split('\n'), now.split('\n')];
  const parts: (readonly string[])[] = [];
  let [at, shift] = [0, 0];
  for (const hunk of await findHunks(before, after)) {
    const start = hunk.from + shift;
    // What is gone is noticed only between two lines that are seen.
    const isGone = hunk.lines.length === 0 && start > 0;
    const isSeen = start - Number(isGone) >= first && start + Math.max(hunk.lines.length, 1) <= end;
    parts.push(before.slice(at, hunk.from), isSeen ? hunk.lines : before.slice(hunk.from, hunk.to));
    at = hunk.to;
    shift += hunk.lines.length - (hunk.to - hunk.from);
  }
  return [...parts, before.slice(at)].flat().join('\n');
}

/**
 * What an agent writes, with what was formatted of its last text kept where it did not change that again. Otherwise
 * everything a formatter did would look like a wish of the user that the agent takes back.
 */
export async function reformatted(
  formatted: readonly string[],
  last: readonly string[],
  next: readonly string[],
): Promise<readonly string[]> {
  return resolved(await merge(formatted, last, next), 'theirs');
}
