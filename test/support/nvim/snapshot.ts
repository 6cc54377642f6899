import type { Screen } from './screen.ts';

const sandboxName = /\bacp-\w{6}(?=\/)/g;
const clockTime = /( *)(?<![\w:])\d{1,2}:\d\d(?::\d\d(?:\.\d{3})?)?\b( *)/g;
const duration = /( *)\b(?:\d+ ?(?:min|m|h) ?)?\d+(?:\.\d+)? ?(?:ms|s|min|h)\b( *)/g;

/**
 * The screen as text for `toMatchSnapshot`: a mark at the cursor's line, its column and the mode below,
 * and no time, duration or temporary directory that would differ in the next run.
 */
export function screenSnapshot(screen: Screen): string {
  const { row, col } = screen.cursor;
  const lines = screen.lines().map((line, index) => `${index === row ? '▸' : ' '}│${maskChanging(line)}`);
  return [...lines, `cursor ${row}:${col} ${screen.mode}`].join('\n');
}

export function maskChanging(line: string): string {
  const withoutNames = line.replace(sandboxName, 'acp-XXXXXX');
  return mask(mask(withoutNames, clockTime, '00:00'), duration, '0.0 s').trimEnd();
}

// A shorter or longer time moves nothing else: the blanks after it take the difference, or those before it when it
// stands at the right.
function mask(line: string, pattern: RegExp, shown: string): string {
  return line.replace(pattern, (found: string, before: string, after: string) => {
    const spare = found.length - shown.length;
    if (before.length > 1) return blanks(spare - after.length, before) + shown + after;
    return before + shown + blanks(spare - before.length, after);
  });
}

function blanks(count: number, there: string): string {
  return ' '.repeat(Math.max(count, Math.min(there.length, 1)));
}
