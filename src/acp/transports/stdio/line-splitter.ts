const newline = 10;

export interface SplitterEvents {
  onLine(line: string): void;
  /** Several lines that arrived together, instead of `onLine` for each. */
  onLines?(lines: string): void;
  /** A line over the limit was dropped. */
  onOverflow(bytes: number): void;
}

/** Cuts a byte stream into texts. */
export interface TextSplitter {
  push(chunk: Buffer): void;
  /** Returns the unfinished text when the stream ends. */
  end(): string;
}

/**
 * Cuts a byte stream into lines. Scans every byte once and decodes only complete lines, so neither a 64 MB line nor a
 * character split between two reads is a special case.
 */
export class LineSplitter implements TextSplitter {
  private parts: Buffer[] = [];
  private size = 0;
  private readonly events: SplitterEvents;
  private readonly maxBytes: number;

  constructor(events: SplitterEvents, maxBytes = 256 * 1024 * 1024) {
    this.events = events;
    this.maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    const first = chunk.indexOf(newline);
    if (first === -1) return this.append(chunk);
    this.finishLine(chunk.subarray(0, first));
    const last = chunk.lastIndexOf(newline);
    // Decoding all complete lines together is faster than one by one.
    if (last > first) this.emitAll(chunk.toString('utf8', first + 1, last));
    if (last + 1 < chunk.length) this.append(chunk.subarray(last + 1));
  }

  end(): string {
    const rest = Buffer.concat(this.parts).toString();
    this.parts = [];
    this.size = 0;
    return rest;
  }

  private finishLine(end: Buffer): void {
    const size = this.size + end.length;
    const parts = [...this.parts, end];
    this.parts = [];
    this.size = 0;
    if (size > this.maxBytes) this.events.onOverflow(size);
    else this.events.onLine(Buffer.concat(parts, size).toString());
  }

  private emitAll(lines: string): void {
    if (this.events.onLines && 3 * lines.length <= this.maxBytes) this.events.onLines(lines);
    else for (const line of lines.split('\n')) this.emit(line);
  }

  private emit(line: string): void {
    const mayBeLong = 3 * line.length > this.maxBytes;
    if (mayBeLong && Buffer.byteLength(line) > this.maxBytes) this.events.onOverflow(Buffer.byteLength(line));
    else this.events.onLine(line);
  }

  private append(part: Buffer): void {
    this.size += part.length;
    if (this.size > this.maxBytes) this.parts = [];
    else this.parts.push(part);
  }
}
