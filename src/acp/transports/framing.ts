import { LineSplitter, type LineSplitterEvents, type Splitter } from '../line-splitter.ts';

const newline = 10;
const maxBody = 256 * 1024 * 1024;
/** Longer texts than this are not searched for what a wrong length has hidden. */
const maxSalvage = 1024 * 1024;
const maxNoise = 64 * 1024;

const anyHeader = /^content-[a-z]+\s*:/i;
const lengthHeader = /^content-length\s*:\s*(\d+)\s*$/i;
const gluedHeader = /\}\s*(?=content-length\s*:)/gi;

/** Tells from the first bytes of an agent how it frames its messages, then leaves the work to the right splitter. */
export class FramingSniffer implements Splitter {
  private chosen: Splitter | undefined;
  private head: Buffer = Buffer.alloc(0);
  private readonly events: LineSplitterEvents;
  private readonly onFrames: () => void;

  constructor(events: LineSplitterEvents, onFrames: () => void) {
    this.events = events;
    this.onFrames = onFrames;
  }

  push(chunk: Buffer): void {
    if (this.chosen) return this.chosen.push(chunk);
    this.head = Buffer.concat([this.head, chunk]);
    while (!this.chosen && this.lookAtLine());
  }

  end(): string {
    return this.chosen ? this.chosen.end() : this.head.toString();
  }

  // A line that is neither a header nor the beginning of a message tells nothing: programs say hello on stdout. True
  // when the next line is worth a look.
  private lookAtLine(): boolean {
    this.head = withoutBlanks(this.head);
    if (this.head.length === 0) return false;
    const end = this.head.indexOf(newline);
    if ('{['.includes(String.fromCharCode(this.head[0]!)) || (end === -1 && this.head.length > maxNoise)) {
      return this.choose(new LineSplitter(this.events));
    }
    if (end === -1) return false;
    const line = this.head.toString('utf8', 0, end);
    if (anyHeader.test(line)) {
      this.onFrames();
      return this.choose(new FrameSplitter(this.events));
    }
    this.events.onLine(line);
    this.head = this.head.subarray(end + 1);
    return true;
  }

  private choose(splitter: Splitter): false {
    this.chosen = splitter;
    splitter.push(this.head);
    this.head = Buffer.alloc(0);
    return false;
  }
}

/**
 * Cuts a byte stream into the bodies of `Content-Length` frames. A length that is wrong costs at most the message it
 * is about: a text that is whole JSON is a message, whatever its header said.
 */
export class FrameSplitter implements Splitter {
  private parts: Buffer[] = [];
  private size = 0;
  /** The length that the headers have announced so far. */
  private announced: number | undefined;
  /** The bytes of the body that are still to come; undefined between two bodies. */
  private missing: number | undefined;
  private readonly events: LineSplitterEvents;

  constructor(events: LineSplitterEvents) {
    this.events = events;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.missing === undefined ? this.takeLine(rest) : this.takeBody(rest);
    if (this.size > 0 && this.size <= maxSalvage && lastByte(this.parts) === closingBrace) this.salvage();
  }

  end(): string {
    return this.takeParts();
  }

  private takeBody(chunk: Buffer): Buffer {
    const missing = this.missing ?? 0;
    this.keep(chunk.subarray(0, missing));
    if (chunk.length < missing) {
      this.missing = missing - chunk.length;
      return chunk.subarray(chunk.length);
    }
    this.missing = undefined;
    // A body that does not end like a message goes on behind its announced end.
    if (closings.includes(lastByte(this.parts))) this.emit(this.takeParts());
    return chunk.subarray(missing);
  }

  private takeLine(chunk: Buffer): Buffer {
    const end = chunk.indexOf(newline);
    this.keep(end === -1 ? chunk : chunk.subarray(0, end));
    if (end === -1) return chunk.subarray(chunk.length);
    this.readLine(this.takeParts().trim());
    return chunk.subarray(end + 1);
  }

  private readLine(line: string): void {
    if (line === '') return this.beginBody();
    const glued = line.startsWith('{') ? [...line.matchAll(gluedHeader)].at(-1) : undefined;
    if (glued && !isJson(line)) {
      this.emit(line.slice(0, glued.index + glued[0].length));
      return this.readLine(line.slice(glued.index + glued[0].length));
    }
    const length = Number(lengthHeader.exec(line)?.[1] ?? Number.NaN);
    if (length <= maxBody) this.announced = length;
    else if (/^content-length\s*:/i.test(line) || !anyHeader.test(line)) this.emit(line);
  }

  private beginBody(): void {
    this.missing = this.announced || undefined;
    this.announced = undefined;
  }

  // Whole JSON can't go on, so what stands behind it is no part of it.
  private salvage(): void {
    const text = Buffer.concat(this.parts).toString();
    if (!text.trimStart().startsWith('{')) return;
    const end = isJson(text) ? text.length : endOfFirstMessage(text);
    if (end === undefined) return;
    this.takeParts();
    this.missing = undefined;
    this.emit(text.slice(0, end));
    if (end < text.length) this.push(Buffer.from(text.slice(end)));
  }

  private keep(part: Buffer): void {
    this.size += part.length;
    if (this.size > maxBody) this.parts = [];
    else this.parts.push(part);
  }

  private takeParts(): string {
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
const closings = [closingBrace, 93, newline, 13, 32];

function lastByte(parts: readonly Buffer[]): number {
  return parts.at(-1)?.at(-1) ?? -1;
}

function endOfFirstMessage(text: string): number | undefined {
  for (const { index, 0: closing } of text.matchAll(gluedHeader)) {
    if (isJson(text.slice(0, index + 1))) return index + closing.length;
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function withoutBlanks(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte > 32);
  return bytes.subarray(first === -1 ? bytes.length : first);
}
