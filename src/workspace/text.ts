import { isUtf8 } from 'node:buffer';

/** How a file ends its lines. */
export type Ending = '\n' | '\r\n' | '\r';

/** A text as an editor holds it: lines, and how they are written. */
export interface Document {
  readonly lines: readonly string[];
  readonly ending: Ending;
  /** The last line is ended too. */
  readonly isEnded: boolean;
  readonly hasBom: boolean;
}

const bom = '\ufeff';

/** The text that would be in the file. */
export function textOf({ lines, ending, isEnded, hasBom }: Document): string {
  const isNothing = lines.length === 0;
  return `${hasBom ? bom : ''}${lines.join(ending)}${isEnded && !isNothing ? ending : ''}`;
}

/** The lines of a text. Where it does not say how they end, they end as they did before. */
export function documentOf(text: string, before: Ending = '\n'): Document {
  const hasBom = text.startsWith(bom);
  const body = hasBom ? text.slice(1) : text;
  const ending = endingOf(body) ?? before;
  const lines = splitLines(body, ending);
  const isEnded = lines.length > 0 && lines.at(-1) === '';
  return { lines: isEnded ? lines.slice(0, -1) : lines, ending, isEnded, hasBom };
}

function splitLines(body: string, ending: Ending): readonly string[] {
  if (body === '') return [];
  // An agent may write a file of another kind as it writes all its own.
  const isForeign = ending !== '\n' && !body.includes(ending) && body.includes('\n');
  return body.split(isForeign ? '\n' : ending);
}

/** The way all lines end; none where they do not agree or there are none. A mixed file is one of plain newlines. */
function endingOf(body: string): Ending | undefined {
  if (!body.includes('\n')) return undefined;
  const newlines = count(body, '\n');
  const pairs = count(body, '\r\n');
  if (pairs === newlines) return '\r\n';
  return pairs > 0 || body.includes('\r') ? '\n' : undefined;
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1;
  return found;
}

export function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((line, index) => line === other[index]));
}

/** The lines from one on, at most so many, with the ends they have. */
export function sliceLines(text: string, line: number, limit: number | undefined): string {
  const start = lineStart(text, 0, line - 1);
  if (limit === undefined || start >= text.length) return text.slice(start);
  return text.slice(start, lineStart(text, start, limit));
}

function lineStart(text: string, from: number, lines: number): number {
  let at = from;
  for (let passed = 0; passed < lines; passed += 1) {
    const end = text.indexOf('\n', at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return at;
}

/** How the characters of a file are written. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';

/** UTF-8, else by its mark, else each byte a character, as Neovim reads it. */
export function encodingOf(bytes: Buffer): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'latin1';
}

/** A file's bytes as text. */
export function decode(bytes: Buffer): string {
  const encoding = encodingOf(bytes);
  if (encoding === 'latin1') return bytes.toString('latin1');
  return new TextDecoder(encoding, { ignoreBOM: encoding === 'utf-8' }).decode(bytes);
}

/** A text as bytes, written as the file was before where that can be. */
export function encode(text: string, before?: Buffer): Buffer {
  const encoding = before ? encodingOf(before) : 'utf-8';
  if (encoding === 'latin1' && /^[\0-\xff]*$/.test(text)) return Buffer.from(text, 'latin1');
  if (encoding === 'utf-16le') return Buffer.from(bom + text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(bom + text, 'utf16le').swap16();
  return Buffer.from(text);
}
