const newline = 10;

export interface LineSplitterEvents {
  onLine(line: string): void;
  /** A line over the limit was thrown away. */
  onOverflow(bytes: number): void;
}

/**
 * Cuts a byte stream into lines. Every byte is looked at once, and a line is decoded when it is whole,
 * so neither a 64 MB line nor a character split between two reads costs anything special.
 */
export class LineSplitter {
  private parts: Buffer[] = [];
  private size = 0;
  private readonly events: LineSplitterEvents;
  private readonly maxBytes: number;

  constructor(events: LineSplitterEvents, maxBytes = 256 * 1024 * 1024) {
    this.events = events;
    this.maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.finishLine(chunk, start, end);
      start = end + 1;
    }
    if (start < chunk.length) this.keep(start === 0 ? chunk : chunk.subarray(start));
  }

  /** What stands after the last newline when the stream ends. */
  end(): string {
    const rest = Buffer.concat(this.parts).toString();
    this.parts = [];
    this.size = 0;
    return rest;
  }

  private finishLine(chunk: Buffer, start: number, end: number): void {
    const size = this.size + end - start;
    const parts = this.parts;
    const isWhole = this.size === 0;
    this.parts = [];
    this.size = 0;
    if (size > this.maxBytes) this.events.onOverflow(size);
    else if (isWhole) this.events.onLine(chunk.toString('utf8', start, end));
    else this.events.onLine(Buffer.concat([...parts, chunk.subarray(start, end)], size).toString());
  }

  private keep(part: Buffer): void {
    this.size += part.length;
    if (this.size > this.maxBytes) this.parts = [];
    else this.parts.push(part);
  }
}
