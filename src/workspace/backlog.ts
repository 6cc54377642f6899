const newline = 10;

/** Bytes that wait, in order. What is put in as it comes goes out in pieces of a size that is soon dealt with. */
export class Backlog {
  size = 0;
  private parts: Buffer[] = [];

  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.parts.push(bytes);
    this.size += bytes.length;
  }

  /** At most so many bytes and lines from the front. */
  take(bytes: number, lines: number): Buffer {
    let size = 0;
    let left = lines;
    const taken: Buffer[] = [];
    for (let part = this.parts[0]; part && size < bytes && left > 0; part = this.parts[0]) {
      const { end, lines: found } = measure(part, Math.min(part.length, bytes - size), left);
      taken.push(part.subarray(0, end));
      if (end === part.length) this.parts.shift();
      else this.parts[0] = part.subarray(end);
      size += end;
      left -= found;
      if (end < part.length) break;
    }
    this.size -= size;
    return taken.length === 1 ? taken[0]! : Buffer.concat(taken);
  }

  /** The end, from the beginning of a line where there is one; nothing is taken. */
  last(bytes: number): Buffer {
    const tail: Buffer[] = [];
    let size = 0;
    for (let at = this.parts.length - 1; at >= 0 && size < bytes; at -= 1) {
      tail.unshift(this.parts[at]!);
      size += this.parts[at]!.length;
    }
    const all = Buffer.concat(tail);
    const from = Math.max(0, all.length - bytes);
    const line = from === 0 ? 0 : all.indexOf(newline, from) + 1;
    return all.subarray(line > 0 && line < all.length ? line : from);
  }

  /** Leaves only the end, from the beginning of a line where there is one. */
  cut(bytes: number): void {
    while (this.parts.length > 1 && this.size - this.parts[0]!.length >= bytes) this.dropFirst();
    const [first] = this.parts;
    const line = first ? first.indexOf(newline) + 1 : 0;
    if (!first || line === 0) return;
    this.parts[0] = first.subarray(line);
    this.size -= line;
  }

  private dropFirst(): void {
    this.size -= this.parts.shift()!.length;
  }

  clear(): void {
    this.parts = [];
    this.size = 0;
  }
}

/** The first so many bytes of a part, or fewer where the lines end. */
export function measure(bytes: Buffer, most: number, mostLines = Number.POSITIVE_INFINITY) {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at !== -1 && at < most; at = bytes.indexOf(newline, at + 1)) {
    lines += 1;
    if (lines >= mostLines) return { end: at + 1, lines };
  }
  return { end: most, lines };
}
