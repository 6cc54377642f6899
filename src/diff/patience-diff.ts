const none = -1;
const several = -2;

/** Rows of lines that occur exactly once in each text, as pairs in the order of both texts. */
export function findAnchors(
  old: readonly string[],
  now: readonly string[],
): readonly (readonly [row: number, other: number])[] {
  const ids = new Map<string, number>();
  const rows: number[] = [];
  for (const [row, line] of old.entries()) {
    const id = ids.get(line);
    if (id !== undefined) rows[id] = several;
    else {
      ids.set(line, rows.length);
      rows.push(row);
    }
  }
  const others = new Int32Array(rows.length).fill(none);
  for (const [row, line] of now.entries()) {
    const id = ids.get(line);
    if (id !== undefined) others[id] = others[id] === none ? row : several;
  }
  const pairs: [number, number][] = [];
  // Ids are in the order of the rows.
  for (const [id, row] of rows.entries()) if (row >= 0 && others[id]! >= 0) pairs.push([row, others[id]!]);
  return longestIncreasing(pairs);
}

/** The longest increasing subsequence by the second row, found by patience sorting. */
function longestIncreasing(pairs: readonly [number, number][]): readonly [number, number][] {
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
  // Fast path: most lines have not moved.
  let [low, high] = [0, ends.length];
  if (high === 0 || isBelow(high - 1)) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
