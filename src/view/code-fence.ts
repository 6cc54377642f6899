/** A text as a code block of markdown. The fence is longer than any in the text. */
export function fenced(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A text as code in a line of markdown. */
export function inlineCode(text: string): string {
  const run = longestRun(text);
  const signs = '`'.repeat(run + 1);
  // Readers remove one space at both ends.
  return run === 0 ? `${signs}${text}${signs}` : `${signs} ${text} ${signs}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

const fences = ['```', '~~~'];

/** A text without the code fence around it. */
export function unfenced(text: string): string {
  const start = text.search(/\S/);
  const fence = fences.find((each) => text.startsWith(each, start));
  const firstEnd = text.indexOf('\n', start);
  if (fence === undefined || firstEnd === -1) return text;
  const clean = text.trimEnd();
  const lastStart = clean.lastIndexOf('\n') + 1;
  const last = clean.slice(lastStart);
  // The closing fence is missing while the text is still streaming in.
  const isClosed = lastStart > firstEnd && isFence(last, fence);
  if (isClosed) return clean.slice(firstEnd + 1, Math.max(firstEnd + 1, lastStart - 1));
  return clean.includes(`\n${fence}`) ? text : text.slice(firstEnd + 1);
}

function isFence(line: string, fence: string): boolean {
  return line.startsWith(fence) && [...line].every((character) => character === fence[0]);
}
