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
