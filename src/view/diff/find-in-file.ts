/** Where a changed text is in its file. */
export interface TextPlace {
  /** The row of its beginning, from 1. */
  readonly row: number;
  /** The rest of the lines that it begins and ends in. */
  readonly head: string;
  readonly tail: string;
}

/** The place of `part` in `text`: the only occurrence, or the one nearest to the row `near`. */
export function findPlace(text: string, part: string, near?: number): TextPlace | undefined {
  const [plain, wanted] = [unixNewlines(text), unixNewlines(part)];
  const at = findOffset(plain, wanted, near);
  if (at === undefined) return undefined;
  const end = at + wanted.length;
  const lineEnd = plain.indexOf('\n', end);
  return {
    row: rowAt(plain, at),
    head: plain.slice(plain.lastIndexOf('\n', at - 1) + 1, at),
    tail: wanted.endsWith('\n') ? '' : plain.slice(end, lineEnd === -1 ? undefined : lineEnd),
  };
}

/** The offset of `part` in `text`, as in `findPlace`. */
export function findOffset(text: string, part: string, near?: number): number | undefined {
  if (part === '') return undefined;
  const first = text.indexOf(part);
  if (first === -1) return undefined;
  if (text.indexOf(part, first + 1) === -1) return first;
  return near === undefined ? undefined : nearestOffset(text, part, near);
}

function nearestOffset(text: string, part: string, near: number): number {
  let at = text.indexOf(part);
  let row = rowAt(text, at);
  let best = { at, distance: Math.abs(row - near) };
  while (at !== -1 && row <= near + best.distance) {
    if (Math.abs(row - near) < best.distance) best = { at, distance: Math.abs(row - near) };
    const from = at;
    at = text.indexOf(part, from + 1);
    row += at === -1 ? 0 : rowAt(text.slice(from, at), at - from) - 1;
  }
  return best.at;
}

function rowAt(text: string, offset: number): number {
  let row = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) row += 1;
  return row;
}

export function unixNewlines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
