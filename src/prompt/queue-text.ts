import { trimBlankLines } from '../base/text.ts';

const bullet = '- ';
const indent = '  ';

/**
 * A queued prompt as an item of the text that the user can edit. The text is a list, so that a line is easily moved or
 * removed.
 */
export function formatPrompt(prompt: string): string {
  const [first = '', ...rest] = trimBlankLines(prompt).split('\n');
  return [`${bullet}${first}`, ...rest.map((line) => (line === '' ? '' : `${indent}${line}`))].join('\n');
}

/** The prompts of such a text. Blank lines around a prompt do not belong to it, and blank prompts are left out. */
export function parseQueue(text: string): readonly string[] {
  const prompts: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (line === '-' || line.startsWith(bullet)) prompts.push([line.slice(bullet.length)]);
    else prompts.at(-1)!.push(line.startsWith(indent) ? line.slice(indent.length) : line);
  }
  return prompts.map((lines) => trimBlankLines(lines.join('\n'))).filter((prompt) => prompt !== '');
}
