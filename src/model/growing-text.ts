const maxParts = 1_024;

/**
 * A text that only grows. Appending costs the same at any length, and a reader with a cursor pays only for new text.
 * A plain string would be copied whole by each read after an append.
 */
export class GrowingText {
  /** Many small strings are joined to one, to save memory. */
  private readonly blocks: string[] = [];
  private parts: string[] = [];
  length = 0;

  constructor(text = '') {
    this.append(text);
  }

  append(text: string): void {
    if (text === '') return;
    this.parts.push(text);
    this.length += text.length;
    if (this.parts.length < maxParts) return;
    this.blocks.push(this.parts.join(''));
    this.parts = [];
  }

  /** The position for `since`. */
  get cursor(): number {
    return this.length;
  }

  /** The text that was appended after the cursor. */
  since(cursor: number): string {
    const last = this.parts.at(-1);
    if (last !== undefined && this.length - last.length === cursor) return last;
    return this.end(this.length - cursor);
  }

  toString(): string {
    return this.blocks.join('') + this.parts.join('');
  }

  private end(length: number): string {
    const pieces: string[] = [];
    let missing = length;
    for (const list of [this.parts, this.blocks]) {
      for (let index = list.length - 1; index >= 0 && missing > 0; index -= 1) {
        const piece = list[index]!;
        pieces.push(missing < piece.length ? piece.slice(piece.length - missing) : piece);
        missing -= piece.length;
      }
    }
    return pieces.reverse().join('');
  }
}
