import vm from 'node:vm';

const timeoutMs = 500;
const maxPattern = 10_000;

/** Patterns that failed or timed out once are not tried again. */
const timedOutPatterns = new Set<string>();

/**
 * Whether a text matches a pattern of the agent. Invalid and slow patterns count as matched: the agent validates the
 * answer itself, and the user could not fix the pattern. Only a script with a timeout can stop a running expression.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (pattern.length > maxPattern || timedOutPatterns.has(pattern)) return true;
  try {
    return vm.runInNewContext(script, { pattern, text }, { timeout: timeoutMs }) === true;
  } catch {
    timedOutPatterns.add(pattern);
    return true;
  }
}

// JSON Schema patterns are Unicode regular expressions, but some contain escapes that are invalid there.
const script = `
  (() => {
    try { return new RegExp(pattern, 'u').test(text) }
    catch { return new RegExp(pattern).test(text) }
  })()`;
