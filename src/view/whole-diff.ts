import { applyPatch, reversePatch, type StructuredPatch } from 'diff';
import type { FileDiff } from './diff.ts';
import { offsetOf, plain } from './locate.ts';

/** A file before and after a change. */
export interface WholeDiff {
  readonly before: string;
  readonly after: string;
}

/**
 * The whole file on both sides of a change, made from the file as it is now and what the agent tells of the change,
 * which may be a part of it. Where that is not to be found, the parts themselves. How lines end is not told: it is not
 * what a reader looks for.
 */
export function wholeDiff(diff: FileDiff, current: string | undefined, isDone: boolean): WholeDiff {
  const { before, after } = sidesOf(diff, current === undefined ? undefined : plain(current), isDone);
  return { before: plain(before), after: plain(after) };
}

function sidesOf({ source }: FileDiff, current: string | undefined, isDone: boolean): WholeDiff {
  if (!('kind' in source)) return patched(source, current ?? '', isDone);
  const [oldText, newText] = [plain(source.oldText ?? ''), plain(source.newText)];
  // Of a file that was written whole only the text before that is on the other side.
  if (source.isWhole) return { before: isDone ? '' : (current ?? ''), after: newText };
  if (oldText === '' || current === undefined) return { before: oldText, after: newText };
  const ways = [() => before(oldText, newText, current), () => after(oldText, newText, current)];
  for (const way of isDone ? ways.reverse() : ways) {
    const found = way();
    if (found) return found;
  }
  return { before: oldText, after: newText };
}

function before(oldText: string, newText: string, current: string): WholeDiff | undefined {
  const changed = replaced(current, oldText, newText);
  return changed === undefined ? undefined : { before: current, after: changed };
}

function after(oldText: string, newText: string, current: string): WholeDiff | undefined {
  const unchanged = replaced(current, newText, oldText);
  return unchanged === undefined ? undefined : { before: unchanged, after: current };
}

function replaced(text: string, part: string, other: string): string | undefined {
  const at = offsetOf(text, part);
  return at === undefined ? undefined : text.slice(0, at) + other + text.slice(at + part.length);
}

function patched(patch: StructuredPatch, current: string, isDone: boolean): WholeDiff {
  const after = applyPatch(current, patch);
  const before = applyPatch(current, reversePatch(patch));
  if (before !== false && (isDone || after === false)) return { before, after: current };
  if (after !== false) return { before: current, after };
  const side = (sign: string) =>
    patch.hunks
      .flatMap(({ lines }) => lines.filter((line) => line.startsWith(sign) || line.startsWith(' ')))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  return { before: side('-'), after: side('+') };
}
