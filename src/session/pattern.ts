import vm from 'node:vm';

const patienceMs = 500;
const maxPattern = 10_000;

/** Patterns that took too long once; they hold up the host no second time. */
const hopeless = new Set<string>();

/**
 * Whether a text matches a pattern that an agent made. One that is faulty, or that would take for ever, counts as
 * matched: the agent looks at the answer itself, and the user could do nothing about it. A script with a time limit is
 * the only way Node has to stop an expression that is running.
 */
export function matches(pattern: string, text: string): boolean {
  if (pattern.length > maxPattern || hopeless.has(pattern)) return true;
  try {
    return vm.runInNewContext(script, { pattern, text }, { timeout: patienceMs }) === true;
  } catch {
    hopeless.add(pattern);
    return true;
  }
}

// Patterns are Unicode ones, but some escape what may not be escaped in those.
const script = `
  (() => {
    try { return new RegExp(pattern, 'u').test(text) }
    catch { return new RegExp(pattern).test(text) }
  })()`;
