import vm from 'node:vm';

const patienceMs = 50;
const maxPattern = 10_000;

/**
 * Whether a text matches a pattern that an agent made. One that is faulty, or that would take for ever, counts as
 * matched: the agent looks at the answer itself, and the user could do nothing about it. A script with a time limit is
 * the only way Node has to stop an expression that is running.
 */
export function matches(pattern: string, text: string): boolean {
  if (pattern.length > maxPattern) return true;
  try {
    return vm.runInNewContext(script, { pattern, text }, { timeout: patienceMs }) === true;
  } catch {
    return true;
  }
}

// Patterns are Unicode ones, but some escape what may not be escaped in those.
const script = `
  (() => {
    try { return new RegExp(pattern, 'u').test(text) }
    catch { return new RegExp(pattern).test(text) }
  })()`;
