import { sanitise, sanitiseLine } from '../sanitise.ts';

const fencePattern = /^ {0,3}(`{3,}(?!.*`)|~{3,})/;
const headingPattern = /^ {0,3}#{1,6}(?=\s|$)/;
const underlinePattern = /^ {0,3}(?:=+|-+)\s*$/;
// A tag or a comment; not an address in angle brackets.
const tagPattern = /<(?=[!?/a-z])(?![a-z][a-z\d+.-]{1,31}:)/gi;
const codePattern = /((?<!`)(`+)(?!`).*?(?<!`)\2(?!`))/;
/** In a longer line, finding code would take long. */
const maxCodeLine = 500;
const maxSigns = 6;

/**
 * A message as part of an exported conversation. What it begins ends with it: an open code block, a comment or a tag
 * would hide what others wrote, and a heading of its own could look like that of a speaker.
 */
export function messageMarkdown(text: string): string {
  let fence = '';
  const lines = sanitise(text).trim().split('\n');
  const harmless = lines.map((line, at) => {
    if (fence !== '') {
      if (closes(line, fence)) fence = '';
      return line;
    }
    fence = fencePattern.exec(line)?.[1] ?? '';
    return fence === '' ? harmlessLine(line, lines[at - 1] ?? '') : line;
  });
  return [...harmless, ...(fence === '' ? [] : [fence])].join('\n');
}

/** A title or a name as a part of a line. */
export function lineMarkdown(text: string): string {
  return withoutTags(sanitiseLine(text));
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.startsWith(fence) && text === fence.charAt(0).repeat(text.length);
}

function harmlessLine(line: string, before: string): string {
  if (before.trim() !== '' && underlinePattern.test(line)) return line.replace(/[=-]/, '\\$&');
  return withoutTags(line.replace(headingPattern, lowerHeading));
}

// Below those of the speakers, which have two signs.
function lowerHeading(signs: string): string {
  return signs.replace(/#+/, (found) => '#'.repeat(Math.min(maxSigns, found.length + 2)));
}

function withoutTags(line: string): string {
  const escapeTags = (text: string) => text.replace(tagPattern, '\\<');
  if (line.length > maxCodeLine || !line.includes('`')) return escapeTags(line);
  // Text, code, the signs around that code, text, …
  return line
    .split(codePattern)
    .map((part, at) => (at % 3 === 0 ? escapeTags(part) : at % 3 === 1 ? part : ''))
    .join('');
}
