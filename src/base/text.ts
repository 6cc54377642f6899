/** Cuts a text to `count` characters; the last one is `…` if something was cut off. */
export function shorten(text: string, count: number): string {
  return text.length <= count ? text : `${text.slice(0, characterBoundary(text, count - 1))}…`;
}

/** The same text. A part of a text keeps all of it in memory; its copy does not. */
export function copyText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

const maxLabel = 32 * 1024;

/** A name, a title or a description. A longer one is cut: it is drawn as a whole, with every change. */
export function cutLabel(text: string): string {
  return text.length <= maxLabel ? text : copyText(shorten(text, maxLabel));
}

/** Whether a label was cut, so that nobody has seen its end. */
export function isCutLabel(text: string): boolean {
  // The cut does not split a surrogate pair.
  return text.length >= maxLabel - 1 && text.endsWith('…');
}

/** The largest index up to `end` that does not split a surrogate pair. */
export function characterBoundary(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** A number of things for the user to read: `1 file`, `2 files`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number of bytes for the user to read: `512 bytes`, `3.4 KB`, `12 MB`. */
export function describeSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1000 ? `${roundSize(kilobytes)} KB` : `${roundSize(kilobytes / 1024)} MB`;
}

function roundSize(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

/** A text without the blank lines at its beginning and its end. */
export function trimBlankLines(text: string): string {
  const lines = text.split('\n');
  const isText = (line: string) => line.trim() !== '';
  const last = lines.findLastIndex(isText);
  return last === -1 ? '' : lines.slice(lines.findIndex(isText), last + 1).join('\n');
}
