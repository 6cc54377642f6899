const newline = 10;

export interface LineSplitterEvents {
  onLine(line: string): void;
  /** A line over the limit was thrown away. */
  onOverflow(bytes: number): void;
}

/** Cuts a byte stream into texts. */
export interface Splitter {
  push(chunk: Buffer): void;
  /** What is left over when the stream ends. */
  end(): string;
}

/**
 * Cuts a byte stream into lines. Every byte is looked at once, and a line is decoded when it is whole,
 * so neither a 64 MB line nor a character split between two reads costs anything special.
 */
export class LineSplitter implements Splitter {
  private parts: Buffer[] = [];
  private size = 0;
  private readonly events: LineSplitterEvents;
  private readonly maxBytes: number;

  constructor(events: LineSplitterEvents, maxBytes = 256 * 1024 * 1024) {
    this.events = events;
    this.maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    const first = chunk.indexOf(newline);
    if (first === -1) return this.keep(chunk);
    this.finishLine(chunk.subarray(0, first));
    const last = chunk.lastIndexOf(newline);
    // One text for all lines in between: cheaper than one for each.
    if (last > first) for (const line of chunk.toString('utf8', first + 1, last).split('\n')) this.emit(line);
    if (last + 1 < chunk.length) this.keep(chunk.subarray(last + 1));
  }

  /** What stands after the last newline when the stream ends. */
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

  private emit(line: string): void {
    const mayBeLong = 3 * line.length > this.maxBytes;
    if (mayBeLong && Buffer.byteLength(line) > this.maxBytes) this.events.onOverflow(Buffer.byteLength(line));
    else this.events.onLine(line);
  }

  private keep(part: Buffer): void {
    this.size += part.length;
    if (this.size > this.maxBytes) this.parts = [];
    else this.parts.push(part);
  }
}
