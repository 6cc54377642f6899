const newline = 10;
const minRingBytes = 16 * 1024;
const maxIdleRingBytes = 256 * 1024;
/** How far behind the wanted position the start of a line is searched for. */
const maxLineSearch = 16 * 1024;

/**
 * A queue of bytes in one ring buffer. Bytes are copied in: Node's small read buffers, kept for a while, would take many
 * times the memory of their content.
 */
export class ByteRing {
  size = 0;
  private ring = Buffer.alloc(0);
  private start = 0;

  push(bytes: Buffer): void {
    if (this.size + bytes.length > this.ring.length) this.grow(this.size + bytes.length);
    const at = (this.start + this.size) % this.ring.length;
    const head = Math.min(bytes.length, this.ring.length - at);
    bytes.copy(this.ring, at, 0, head);
    bytes.copy(this.ring, 0, head);
    this.size += bytes.length;
  }

  /** Removes and returns at most this many bytes and lines from the front. */
  take(bytes: number, lines: number): Buffer {
    const piece = this.copy(0, Math.min(bytes, this.size));
    const { end } = countLines(piece, lines);
    this.drop(end);
    return piece.subarray(0, end);
  }

  /** A copy of the last bytes, from the start of a line if there is one. */
  last(bytes: number): Buffer {
    const from = Math.max(0, this.size - bytes);
    return this.copy(this.lineFrom(from), this.size);
  }

  /** Drops all but the last bytes, from the start of a line if there is one. */
  keepLast(bytes: number): void {
    if (this.size > bytes) this.drop(this.lineFrom(this.size - bytes));
  }

  clear(): void {
    this.drop(this.size);
  }

  private lineFrom(from: number): number {
    if (from === 0) return 0;
    const at = this.copy(from, Math.min(from + maxLineSearch, this.size)).indexOf(newline);
    return at === -1 || from + at + 1 === this.size ? from : from + at + 1;
  }

  private drop(count: number): void {
    this.size -= count;
    this.start = this.ring.length === 0 ? 0 : (this.start + count) % this.ring.length;
    if (this.size === 0 && this.ring.length > maxIdleRingBytes) this.ring = Buffer.alloc(0);
    if (this.size === 0) this.start = 0;
  }

  private copy(from: number, to: number): Buffer {
    const copy = Buffer.allocUnsafe(to - from);
    const at = this.ring.length === 0 ? 0 : (this.start + from) % this.ring.length;
    const head = this.ring.copy(copy, 0, at, Math.min(this.ring.length, at + copy.length));
    this.ring.copy(copy, head, 0, copy.length - head);
    return copy;
  }

  private grow(needed: number): void {
    let length = Math.max(minRingBytes, this.ring.length);
    while (length < needed) length *= 2;
    const ring = Buffer.allocUnsafeSlow(length);
    this.copy(0, this.size).copy(ring);
    this.ring = ring;
    this.start = 0;
  }
}

/** How many lines end in the bytes, at most `mostLines`, and where the last of them ends. */
export function countLines(bytes: Buffer, mostLines = Number.POSITIVE_INFINITY) {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) {
    lines += 1;
    if (lines >= mostLines) return { end: at + 1, lines };
  }
  return { end: bytes.length, lines };
}
