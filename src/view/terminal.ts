import { stripVTControlCharacters } from 'node:util';

/**
 * What a command wrote, as plain text: escape sequences are left out, of a line that was written over the last version
 * counts, and a backspace takes the character before it away.
 */
export function plainOutput(output: string): string {
  const text = stripVTControlCharacters(output).replaceAll('\r\n', '\n');
  return text.replace(/[^\n]*\r(?=[^\n])/g, '').replace(/[^\n\b][\b]/g, '');
}
