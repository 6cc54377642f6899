/** The row from 1 at which a text is found in another: the only place, or the one nearest to where it should be. */
export function locate(text: string, part: string, near?: number): number | undefined {
  const at = offsetOf(plain(text), plain(part), near);
  return at === undefined ? undefined : rowAt(plain(text), at);
}

/** The same as an offset. */
export function offsetOf(text: string, part: string, near?: number): number | undefined {
  if (part === '') return undefined;
  const first = text.indexOf(part);
  if (first === -1) return undefined;
  if (text.indexOf(part, first + 1) === -1) return first;
  return near === undefined ? undefined : nearest(text, part, near);
}

function nearest(text: string, part: string, near: number): number {
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

/** The text with plain newlines. */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
