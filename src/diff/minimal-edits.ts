import { computeHunksAsync } from './hunk-cache.ts';
import { commonEnd, commonStart, type Hunk } from './hunks.ts';

/** More edits than this are slow, here and in Neovim; one large edit replaces them. */
const maxEdits = 5_000;

/** Replaces a range; rows from 0, columns in bytes, as in `nvim_buf_set_text`. */
export interface Edit {
  readonly startRow: number;
  readonly startColumn: number;
  readonly endRow: number;
  readonly endColumn: number;
  readonly lines: readonly string[];
}

/** The smallest edits between two texts, last first, so that earlier positions stay valid. */
export async function computeEdits(
  before: readonly string[],
  after: readonly string[],
): Promise<readonly Edit[]> {
  const hunks = await computeHunksAsync(before, after);
  const count = hunks.reduce((sum, hunk) => sum + (isLineByLine(hunk) ? hunk.lines.length : 1), 0);
  if (count <= maxEdits) return hunks.flatMap((hunk) => editsOf(before, hunk)).reverse();
  const [from, to] = [hunks[0]!.from, hunks.at(-1)!.to];
  return [editWholeLines(before, from, to, after.slice(from, after.length - (before.length - to)))];
}

function isLineByLine({ from, to, lines }: Hunk): boolean {
  return to - from === lines.length;
}

function editsOf(before: readonly string[], hunk: Hunk): readonly Edit[] {
  const { from, to, lines } = hunk;
  if (isLineByLine(hunk)) {
    const old = before.slice(from, to);
    return lines.flatMap((line, index) =>
      line === old[index] ? [] : [editInLine(from + index, old[index]!, line)],
    );
  }
  return [editWholeLines(before, from, to, lines)];
}

/** Replaces only the differing part of a line. */
function editInLine(row: number, old: string, line: string): Edit {
  const start = commonStart(old, line);
  const end = commonEnd(old, line, start);
  // Never split a surrogate pair.
  const from = isLowSurrogate(line, start) || isLowSurrogate(old, start) ? start - 1 : start;
  const cut =
    isLowSurrogate(old, old.length - end) || isLowSurrogate(line, line.length - end) ? end - 1 : end;
  return {
    startRow: row,
    startColumn: bytes(old.slice(0, from)),
    endRow: row,
    endColumn: bytes(old.slice(0, old.length - cut)),
    lines: [line.slice(from, line.length - cut)],
  };
}

// At the end of the text, lines are added and removed together with the newline before them.
function editWholeLines(before: readonly string[], from: number, to: number, lines: readonly string[]): Edit {
  if (to < before.length) {
    return { startRow: from, startColumn: 0, endRow: to, endColumn: 0, lines: [...lines, ''] };
  }
  if (from > 0) {
    const [startRow, endRow] = [from - 1, to - 1];
    return {
      startRow,
      startColumn: bytes(before[startRow]!),
      endRow,
      endColumn: bytes(before[endRow]!),
      lines: ['', ...lines],
    };
  }
  const last = before.at(-1) ?? '';
  return {
    startRow: 0,
    startColumn: 0,
    endRow: Math.max(0, to - 1),
    endColumn: bytes(last),
    lines: lines.length === 0 ? [''] : lines,
  };
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
