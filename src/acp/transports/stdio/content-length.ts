import { isJson } from '../../../base/json.ts';
import { LineSplitter, type SplitterEvents, type TextSplitter } from './line-splitter.ts';

const newline = 10;
const maxBody = 256 * 1024 * 1024;
/** Texts longer than this are not searched for messages behind a wrong length. */
const maxRecovery = 1024 * 1024;
const maxPreamble = 64 * 1024;

const anyHeader = /^content-[a-z]+\s*:/i;
const lengthHeader = /^content-length\s*:\s*(\d+)\s*$/i;
const gluedHeader = /\}\s*(?=content-length\s*:)/gi;

/** Detects the framing from the first bytes of an agent, then delegates to the matching splitter. */
export class FramingDetector implements TextSplitter {
  private chosen: TextSplitter | undefined;
  private head: Buffer = Buffer.alloc(0);
  private readonly events: SplitterEvents;
  private readonly onContentLength: () => void;

  constructor(events: SplitterEvents, onFrames: () => void) {
    this.events = events;
    this.onContentLength = onFrames;
  }

  push(chunk: Buffer): void {
    if (this.chosen) return this.chosen.push(chunk);
    this.head = Buffer.concat([this.head, chunk]);
    while (!this.chosen && this.detectFromNextLine());
  }

  end(): string {
    return this.chosen ? this.chosen.end() : this.head.toString();
  }

  // A line that is neither a header nor the start of a message decides nothing: programs print banners on stdout.
  // Returns whether the next line can be examined.
  private detectFromNextLine(): boolean {
    this.head = trimLeadingBlanks(this.head);
    if (this.head.length === 0) return false;
    const end = this.head.indexOf(newline);
    if ('{['.includes(String.fromCharCode(this.head[0]!)) || (end === -1 && this.head.length > maxPreamble)) {
      return this.choose(new LineSplitter(this.events));
    }
    if (end === -1) return false;
    const line = this.head.toString('utf8', 0, end);
    if (anyHeader.test(line)) {
      this.onContentLength();
      return this.choose(new ContentLengthSplitter(this.events));
    }
    this.events.onLine(line);
    this.head = this.head.subarray(end + 1);
    return true;
  }

  private choose(splitter: TextSplitter): false {
    this.chosen = splitter;
    splitter.push(this.head);
    this.head = Buffer.alloc(0);
    return false;
  }
}

/**
 * Cuts a byte stream into the bodies of `Content-Length` frames. A wrong length loses at most its own message:
 * complete JSON counts as a message, whatever the header said.
 */
export class ContentLengthSplitter implements TextSplitter {
  private parts: Buffer[] = [];
  private size = 0;
  /** The length in the headers read so far. */
  private announced: number | undefined;
  /** The missing bytes of the current body; undefined between two bodies. */
  private remaining: number | undefined;
  private readonly events: SplitterEvents;

  constructor(events: SplitterEvents) {
    this.events = events;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0)
      rest = this.remaining === undefined ? this.readHeaderLine(rest) : this.readBody(rest);
    if (this.size > 0 && this.size <= maxRecovery && lastByte(this.parts) === closingBrace)
      this.recoverMessage();
  }

  end(): string {
    return this.drainParts();
  }

  private readBody(chunk: Buffer): Buffer {
    const missing = this.remaining ?? 0;
    this.append(chunk.subarray(0, missing));
    if (chunk.length < missing) {
      this.remaining = missing - chunk.length;
      return chunk.subarray(chunk.length);
    }
    this.remaining = undefined;
    // If the body does not end like a message, its length was too small.
    if (messageEndBytes.includes(lastByte(this.parts))) this.emit(this.drainParts());
    return chunk.subarray(missing);
  }

  private readHeaderLine(chunk: Buffer): Buffer {
    const end = chunk.indexOf(newline);
    this.append(end === -1 ? chunk : chunk.subarray(0, end));
    if (end === -1) return chunk.subarray(chunk.length);
    this.handleLine(this.drainParts().trim());
    return chunk.subarray(end + 1);
  }

  private handleLine(line: string): void {
    if (line === '') return this.beginBody();
    const glued = line.startsWith('{') ? [...line.matchAll(gluedHeader)].at(-1) : undefined;
    if (glued && !isJson(line)) {
      this.emit(line.slice(0, glued.index + glued[0].length));
      return this.handleLine(line.slice(glued.index + glued[0].length));
    }
    const length = Number(lengthHeader.exec(line)?.[1] ?? Number.NaN);
    if (length <= maxBody) this.announced = length;
    else if (/^content-length\s*:/i.test(line) || !anyHeader.test(line)) this.emit(line);
  }

  private beginBody(): void {
    this.remaining = this.announced || undefined;
    this.announced = undefined;
  }

  // Complete JSON cannot continue, so the rest belongs to the next message.
  private recoverMessage(): void {
    const text = Buffer.concat(this.parts).toString();
    if (!text.trimStart().startsWith('{')) return;
    const end = isJson(text) ? text.length : endOfFirstMessage(text);
    if (end === undefined) return;
    this.drainParts();
    this.remaining = undefined;
    this.emit(text.slice(0, end));
    if (end < text.length) this.push(Buffer.from(text.slice(end)));
  }

  private append(part: Buffer): void {
    this.size += part.length;
    if (this.size > maxBody) this.parts = [];
    else this.parts.push(part);
  }

  private drainParts(): string {
    const { parts, size } = this;
    this.parts = [];
    this.size = 0;
    if (size > maxBody) this.events.onOverflow(size);
    return size > maxBody ? '' : Buffer.concat(parts).toString();
  }

  private emit(text: string): void {
    if (text.trim() !== '') this.events.onLine(text);
  }
}

const closingBrace = 125;
const messageEndBytes = [closingBrace, 93, newline, 13, 32];

function lastByte(parts: readonly Buffer[]): number {
  return parts.at(-1)?.at(-1) ?? -1;
}

function endOfFirstMessage(text: string): number | undefined {
  for (const { index, 0: closing } of text.matchAll(gluedHeader)) {
    if (isJson(text.slice(0, index + 1))) return index + closing.length;
  }
  return undefined;
}

function trimLeadingBlanks(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte > 32);
  return bytes.subarray(first === -1 ? bytes.length : first);
}
