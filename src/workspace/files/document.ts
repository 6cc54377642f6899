import { isUtf8 } from 'node:buffer';

/** The line ending of a file. */
type Ending = '\n' | '\r\n' | '\r';

/** A text as an editor holds it: its lines and its file format. */
export interface Document {
  readonly lines: readonly string[];
  readonly ending: Ending;
  /** The last line has a line ending. */
  readonly isEnded: boolean;
  readonly hasBom: boolean;
}

const bom = '\ufeff';

/** The text of the file. */
export function textOf({ lines, ending, isEnded, hasBom }: Document): string {
  const isNothing = lines.length === 0;
  return `${hasBom ? bom : ''}${lines.join(ending)}${isEnded && !isNothing ? ending : ''}`;
}

/** The lines of a text of an agent. `before` is the line ending if the text does not show one. */
export function documentOf(text: string, before: Ending = '\n'): Document {
  return withEnding(text, (body) => endingOf(body) ?? before);
}

/** The lines of a text that is on disk, or is to be there byte for byte: newlines are its line ending too. */
export function exactDocumentOf(text: string, before: Ending = '\n'): Document {
  return withEnding(text, (body) => endingOf(body) ?? (body.includes('\n') ? '\n' : before));
}

function withEnding(text: string, endingFor: (body: string) => Ending): Document {
  const hasBom = text.startsWith(bom);
  const body = hasBom ? text.slice(1) : text;
  const ending = endingFor(body);
  const lines = splitLines(body, ending);
  const isEnded = lines.length > 0 && lines.at(-1) === '';
  return { lines: isEnded ? lines.slice(0, -1) : lines, ending, isEnded, hasBom };
}

function splitLines(body: string, ending: Ending): readonly string[] {
  if (body === '') return [];
  // Agents often write newlines whatever the line ending of the file is.
  const isForeign = ending !== '\n' && !body.includes(ending) && body.includes('\n');
  return body.split(isForeign ? '\n' : ending);
}

/** The line ending of a text; undefined for plain newlines, which do not decide it. A mixed text has newlines. */
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

/** At most `limit` lines from `line` on, with their line endings. */
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

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';

/** UTF-16 if there is a byte order mark, UTF-8 if it is valid, else Latin-1, as Neovim decides. */
export function encodingOf(bytes: Buffer): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'latin1';
}

export function decode(bytes: Buffer): string {
  const encoding = encodingOf(bytes);
  // The bytes were checked, so a decoder would find nothing more, and it takes much longer.
  if (encoding === 'latin1' || encoding === 'utf-8') return bytes.toString(encoding);
  return new TextDecoder(encoding).decode(bytes);
}

/** Encodes a text as the file was encoded before, if that encoding can express it. */
export function encode(text: string, before?: Buffer): Buffer {
  const encoding = before ? encodingOf(before) : 'utf-8';
  if (encoding === 'latin1' && /^[\0-\xff]*$/.test(text)) return Buffer.from(text, 'latin1');
  if (encoding === 'utf-16le') return Buffer.from(bom + text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(bom + text, 'utf16le').swap16();
  return Buffer.from(text);
}
