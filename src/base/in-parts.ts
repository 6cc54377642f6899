/** Calls `act` for so many items at a time; the results are in the order of the items. */
export async function inParts<T, R>(
  items: readonly T[],
  size: number,
  act: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += size) {
    const part = items.slice(at, at + size);
    results.push(...(await Promise.all(part.map((item, index) => act(item, at + index)))));
  }
  return results;
}
