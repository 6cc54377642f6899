import { applyPatch, reversePatch, type StructuredPatch } from 'diff';
import type { FileDiff } from './diff.ts';
import { findOffset, unixNewlines } from './find-in-file.ts';

interface SideBySide {
  readonly before: string;
  readonly after: string;
}

/**
 * The whole file before and after a change, made from its current content and the texts that the agent sent, which may
 * be a part of the file. If they are not found in the file, the texts themselves. Line endings are normalised.
 */
export function sideBySide(diff: FileDiff, current: string | undefined, isDone: boolean): SideBySide {
  const { before, after } = findSides(
    diff,
    current === undefined ? undefined : unixNewlines(current),
    isDone,
  );
  return { before: unixNewlines(before), after: unixNewlines(after) };
}

function findSides({ source }: FileDiff, current: string | undefined, isDone: boolean): SideBySide {
  if (!('kind' in source)) return patched(source, current ?? '', isDone);
  const [oldText, newText] = [unixNewlines(source.oldText ?? ''), unixNewlines(source.newText)];
  // A whole-file write has no old text; before the write, the file has it.
  if (source.replacesFile) return { before: isDone ? '' : (current ?? ''), after: newText };
  if (oldText === '' || current === undefined) return { before: oldText, after: newText };
  const attempts = [
    () => applyForward(oldText, newText, current),
    () => applyBackward(oldText, newText, current),
  ];
  for (const attempt of isDone ? attempts.reverse() : attempts) {
    const found = attempt();
    if (found) return found;
  }
  return { before: oldText, after: newText };
}

function applyForward(oldText: string, newText: string, current: string): SideBySide | undefined {
  const changed = replaced(current, oldText, newText);
  return changed === undefined ? undefined : { before: current, after: changed };
}

function applyBackward(oldText: string, newText: string, current: string): SideBySide | undefined {
  const unchanged = replaced(current, newText, oldText);
  return unchanged === undefined ? undefined : { before: unchanged, after: current };
}

function replaced(text: string, part: string, other: string): string | undefined {
  const at = findOffset(text, part);
  return at === undefined ? undefined : text.slice(0, at) + other + text.slice(at + part.length);
}

function patched(patch: StructuredPatch, current: string, isDone: boolean): SideBySide {
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
