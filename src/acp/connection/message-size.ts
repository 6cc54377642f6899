/** Values nested deeper than this are not visited. */
export const maxMessageDepth = 100;

const maxDepthSize = 64 * 1024;

/** Estimates the length of a message as JSON without serialising it. Values that are nested too deep count as large. */
export function estimateSize(value: unknown, depth = maxMessageDepth): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (depth === 0) return maxDepthSize;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) size += estimateSize(item, depth - 1) + 1;
    return size;
  }
  for (const key in value)
    size += key.length + 4 + estimateSize((value as Record<string, unknown>)[key], depth - 1);
  return size;
}
