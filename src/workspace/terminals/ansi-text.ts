/** Removes colours (SGR sequences) from a text. */
export function stripColours(text: string): string {
  return text.includes('\x1b') ? text.replace(/\x1b\[[\d;]*m/g, '') : text;
}

/** The end of a text, at most `limit` bytes of UTF-8, cut between two characters. */
export function lastBytes(text: string, limit: number): string {
  if (limit <= 0) return '';
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text;
  const bytes = Buffer.from(text);
  let from = bytes.length - limit;
  while (from < bytes.length && isContinuation(bytes[from]!)) from += 1;
  return bytes.toString('utf8', from);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
