import { replaceInvisible, visibleSubstitute } from '../base/invisible-characters.ts';

/**
 * Makes text of the agent safe to draw: invisible and control characters become visible. `before` is the character in
 * front of the text.
 */
export function sanitise(text: string, before = ''): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  const unix = wellFormed.includes('\r') ? wellFormed.replaceAll('\r', '') : wellFormed;
  return replaceInvisible(unix, visibleSubstitute, before);
}

/** Sanitises text for a single line, such as a title. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replace(/\s+/g, ' ').trim();
}
