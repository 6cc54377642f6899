/** What a piece of text refers to: a file, at a line and a column if they are named, or an address. */
export type Reference =
  | { readonly path: string; readonly line: number | undefined; readonly column?: number | undefined }
  | { readonly url: string };

/** A reference as text, and where it is. */
interface Found {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** No further than this from the column is searched. */
const maxReach = 2_000;

// The text is untrusted, so each part of these expressions stops where the next one could begin.
const linkPattern = /\[[^[\]\n]*\]\(<?([^)\s<>[]+)>?(?:\s[^)]*)?\)/g;
const urlPattern = /[a-z][a-z\d+.-]{1,30}:\/\/[^\s<>"`|\\^{}]+/gi;
const quotedPattern = /`+([^`\n]+)`+|"([^"\n]+)"|'([^'\n]+)'/g;
// Compilers: src/a.ts(9,3)
const parenthesisedPattern = /([^\s()"'`<>[\]{}|,;*]+)\((\d{1,7})(?:,(\d{1,7}))?\)/g;
const wordPattern = /[^\s()"'`<>[\]{}|,;*]+/g;

/**
 * The references at a column of a line, the most likely one first. A column is an index of the string. A path may have
 * a position behind it: `a.ts:9`, `a.ts:9:3`, `a.ts:9-12`, `a.ts#L9`, `a.ts#L9-L12`, `a.ts(9,3)`, `"a.py", line 9`.
 */
export function referencesAt(wholeLine: string, wholeColumn: number): readonly Reference[] {
  const start = Math.max(0, wholeColumn - maxReach);
  const line = wholeLine.slice(start, wholeColumn + maxReach);
  const column = wholeColumn - start;
  const link = covering(line, linkPattern, column);
  if (link) return [targetReference(link.text)];
  const url = covering(line, urlPattern, column);
  if (url) return [targetReference(trimmedUrl(url.text))];
  const quoted = covering(line, quotedPattern, column);
  const parenthesised = covering(line, parenthesisedPattern, column, ([, ...parts]) =>
    parts.filter((part) => part !== undefined).join(':'),
  );
  const word = covering(line, wordPattern, column);
  const found = [parenthesised, quoted && withPythonLine(line, quoted), word];
  return found.flatMap((each) => (each ? pathReferences(each.text) : []));
}

/** Where the link at a column of a line leads to, as the agent wrote it. The transcript shows only its text. */
export function linkTargetAt(line: string, column: number): string | undefined {
  return covering(line.slice(0, column + maxReach), linkPattern, column)?.text;
}

function covering(
  line: string,
  pattern: RegExp,
  column: number,
  textOf = (match: RegExpMatchArray) => match.slice(1).find((group) => group !== undefined) ?? match[0],
): Found | undefined {
  for (const match of line.matchAll(pattern)) {
    const from = match.index;
    const to = from + match[0].length;
    if (from > column) return undefined;
    if (column < to) return { from, to, text: textOf(match) };
  }
  return undefined;
}

function withPythonLine(line: string, quoted: Found): Found {
  const row = /^, line (\d{1,7})/.exec(line.slice(quoted.to))?.[1];
  return row === undefined ? quoted : { ...quoted, text: `${quoted.text}:${row}` };
}

function targetReference(target: string): Reference {
  if (/^file:/i.test(target)) return fileReference(target);
  if (/^(?:[a-z][a-z\d+.-]+:\/\/|mailto:|javascript:|data:)/i.test(target)) return { url: target };
  return pathReferences(decoded(target))[0] ?? { path: target, line: undefined };
}

function fileReference(url: string): Reference {
  const path = decoded(url.replace(/^file:(?:\/\/(?:localhost)?)?/i, ''));
  return pathReferences(path)[0] ?? { path, line: undefined };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// A bracket at the end belongs to the address if it was opened there.
function trimmedUrl(url: string): string {
  const text = url.replace(/[.,:;!?'*_]+$/, '');
  const isOpened = text.split('(').length > text.split(')').length - 1;
  return text.endsWith(')') && !isOpened ? trimmedUrl(text.slice(0, -1)) : text;
}

const positionPattern =
  /^(.+?)(?::(\d{1,7})(?::(\d{1,7}))?(?:[:.-]\d+)*|#L(\d{1,7})(?:C(\d{1,7}))?(?:-L?\d+(?:C\d+)?)?)$/;

// A name with a colon may also be the whole name of a file.
function pathReferences(text: string): readonly Reference[] {
  const name = text
    .trim()
    .replace(/^@(?=.)/, '')
    .replace(/[.,:;!?]+$/, '');
  if (name === '' || name.includes('\0')) return [];
  const position = positionPattern.exec(name);
  const whole = { path: name, line: undefined };
  if (!position) return [whole];
  const [, path = '', line, column, anchorLine, anchorColumn] = position;
  return [{ path, line: numberOf(line ?? anchorLine), column: numberOf(column ?? anchorColumn) }, whole];
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}
