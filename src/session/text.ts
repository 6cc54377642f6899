/**
 * A text that only grows. Appending is cheap however long it is, and a reader that remembers a cursor pays
 * for what is new alone; a plain string would be copied whole at each read after an append.
 */
export class GrowingText {
  private readonly parts: string[] = [];
  length = 0;

  constructor(text = '') {
    this.append(text);
  }

  append(text: string): void {
    if (text === '') return;
    this.parts.push(text);
    this.length += text.length;
  }

  /** A place to read on from with `since`. */
  get cursor(): number {
    return this.parts.length;
  }

  /** What was appended after the cursor was taken. */
  since(cursor: number): string {
    return cursor === this.parts.length - 1 ? this.parts[cursor]! : this.parts.slice(cursor).join('');
  }

  toString(): string {
    return this.parts.join('');
  }
}
