import { replaceInvisible, visibleSubstitute } from '../base/invisible-characters.ts';
import { shorten } from '../base/text.ts';

/** Blanks become one, so a line needs more characters than it has. */
const maxStart = 32 * 1024;

/**
 * Makes text of the agent safe to draw: invisible and control characters become visible. `before` is the character in
 * front of the text.
 */
export function sanitise(text: string, before = ''): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  const unix = wellFormed.includes('\r') ? wellFormed.replaceAll('\r', '') : wellFormed;
  return replaceInvisible(unix, visibleSubstitute, before);
}

/** The lines of a command. A shell treats a carriage return as part of a word, so it becomes visible too. */
export function commandLines(text: string): readonly string[] {
  return sanitise(text.replace(/\r(?!\n)/g, '\u240d')).split('\n');
}

/** Lines as one line, in which the ends of the lines can be told from the text. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => line.replaceAll('⏎', '\ufffd')).join(' ⏎ ');
}

/** Sanitises text for a single line, such as a title. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replace(/\s+/g, ' ').trim();
}

/** The beginning of a text in a single line of at most `count` characters. What is not shown costs no time. */
export function sanitiseStart(text: string, count: number): string {
  return shorten(sanitiseLine(shorten(text, maxStart)), count);
}
