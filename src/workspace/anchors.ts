/** Pairs of rows, in order in both texts, of lines that each of them has just once. */
export function anchorsOf(
  old: readonly string[],
  now: readonly string[],
): readonly (readonly [row: number, other: number])[] {
  const [mine, theirs] = [rowsOfOnce(old), rowsOfOnce(now)];
  const pairs: [number, number][] = [];
  // A map gives its entries in the order they came in, which is that of the rows.
  for (const [line, row] of mine) {
    const other = row === undefined ? undefined : theirs.get(line);
    if (row !== undefined && other !== undefined) pairs.push([row, other]);
  }
  return longestRise(pairs);
}

function rowsOfOnce(lines: readonly string[]): ReadonlyMap<string, number | undefined> {
  const rows = new Map<string, number | undefined>();
  for (const [row, line] of lines.entries()) rows.set(line, rows.has(line) ? undefined : row);
  return rows;
}

/** The most pairs whose second rows rise as the first do, as patience sorting finds them. */
function longestRise(pairs: readonly [number, number][]): readonly [number, number][] {
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [index, pair] of pairs.entries()) {
    const pile = pileFor(pair[1], ends, pairs);
    before[index] = ends[pile - 1];
    ends[pile] = index;
  }
  const rise: [number, number][] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) rise.push(pairs[at]!);
  return rise.reverse();
}

function pileFor(row: number, ends: readonly number[], pairs: readonly [number, number][]): number {
  const isBelow = (pile: number) => pairs[ends[pile]!]![1] < row;
  // Most lines stand where they stood.
  let [low, high] = [0, ends.length];
  if (high === 0 || isBelow(high - 1)) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
