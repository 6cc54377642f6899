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
  let best = text.indexOf(part);
  const distance = (at: number) => Math.abs(rowAt(text, at) - near);
  for (
    let at = best;
    at !== -1 && rowAt(text, at) <= near + distance(best);
    at = text.indexOf(part, at + 1)
  ) {
    if (distance(at) < distance(best)) best = at;
  }
  return best;
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
