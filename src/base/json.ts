/** Deeper nesting than any valid message has. Much deeper values overflow the stack of recursive functions. */
const maxDepth = 64;

/** Parses untrusted JSON. Values that are nested too deep are replaced by `…`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Each level takes at least two characters.
  if (text.length > 2 * maxDepth) cutDepth(value);
  return value;
}

/** Replaces values that are nested too deep by `…`. */
export function cutDepth(value: unknown, depth = maxDepth): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const fields = value as Record<string, unknown>;
    const isDeep = typeof fields[key] === 'object' && fields[key] !== null;
    if (isDeep && depth === 0) fields[key] = '…';
    else if (isDeep) cutDepth(fields[key], depth - 1);
  }
}

/** Whether a text is JSON as a whole. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Values nested deeper than this are not visited. */
export const maxMessageDepth = 100;

const maxDepthSize = 64 * 1024;

/** Estimates the length of a value as JSON without serialising it. Values that are nested too deep count as large. */
export function estimateSize(value: unknown, depth = maxMessageDepth): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (depth === 0) return maxDepthSize;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) size += estimateSize(item, depth - 1) + 1;
    return size;
  }
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    if (field !== undefined) size += key.length + 4 + estimateSize(field, depth - 1);
  }
  return size;
}
