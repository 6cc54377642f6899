import { applyPatch } from 'diff';
import { type CodeBlock, isPatch } from './code-block.ts';
import type { NamedFile } from './named-file.ts';

/** One way to put a code block into its file. */
export interface CodeChange {
  /** What it does, without the file. */
  readonly label: string;
  readonly text: string;
}

/** The ways to put a code block into a file, the most likely one first. `current`: the text of the file, if there is one. */
export function codeChanges(
  block: CodeBlock,
  file: NamedFile,
  current: string | undefined,
): readonly CodeChange[] {
  if (isPatch(block)) return patched(block, current ?? '');
  const before = current === undefined ? undefined : linesOf(current);
  const code = file.isInCode && block.lines[0] !== before?.[0] ? block.lines.slice(1) : block.lines;
  if (before === undefined) return [{ label: 'Create the file', text: joined(code) }];
  const part = file.range ? rangeIn(before, file.range) : findPart(before, code);
  const whole = { label: `Replace all ${before.length} lines`, text: joined(code) };
  const changes = part ? [replaced(before, part, code), whole] : [whole];
  return changes.filter(({ text }) => text !== current);
}

function patched({ lines }: CodeBlock, current: string): readonly CodeChange[] {
  try {
    const text = applyPatch(current, joined(lines), { fuzzFactor: 1 });
    // A text without hunks is a patch that changes nothing.
    return text === false || text === current ? [] : [{ label: 'Apply the patch', text }];
  } catch {
    return [];
  }
}

/** Rows, from 0; the end is exclusive. */
interface Part {
  readonly from: number;
  readonly to: number;
}

function rangeIn(
  before: readonly string[],
  { first, last }: { first: number; last: number },
): Part | undefined {
  return first >= 1 && first <= last && last <= before.length ? { from: first - 1, to: last } : undefined;
}

// The part of a file between lines that are the first and the last of the code. Of several ends, the one that makes it
// about as long as the code.
function findPart(before: readonly string[], code: readonly string[]): Part | undefined {
  const filled = code.filter((line) => line.trim() !== '');
  const [first, last] = [filled[0]?.trimEnd(), filled.at(-1)?.trimEnd()];
  if (first === undefined || last === undefined) return undefined;
  const starts = rowsOf(before, first);
  if (starts.length !== 1) return undefined;
  const from = starts[0]!;
  const ends = rowsOf(before, last).filter((row) => row >= from && (filled.length === 1 || row > from));
  const distance = (row: number) => Math.abs(row + 1 - from - code.length);
  const [end] = ends.sort((one, other) => distance(one) - distance(other));
  return end === undefined ? undefined : { from, to: end + 1 };
}

function rowsOf(lines: readonly string[], text: string): readonly number[] {
  return lines.flatMap((line, row) => (line.trimEnd() === text ? [row] : []));
}

function replaced(before: readonly string[], { from, to }: Part, code: readonly string[]): CodeChange {
  const label = to === from + 1 ? `Replace line ${to}` : `Replace lines ${from + 1} to ${to}`;
  return { label, text: joined([...before.slice(0, from), ...trimmed(code), ...before.slice(to)]) };
}

function trimmed(code: readonly string[]): readonly string[] {
  const first = code.findIndex((line) => line.trim() !== '');
  const last = code.findLastIndex((line) => line.trim() !== '');
  return code.slice(first, last + 1);
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}

function joined(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
