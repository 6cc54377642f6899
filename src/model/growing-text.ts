import { characterBoundary } from '../base/text.ts';

const maxParts = 1_024;
/** V8 makes no string of 512 MB, and a text is copied when it is shown. */
export const maxTextLength = 200 * 1024 * 1024;
const tooLong = '\n\n[The rest is left out: this message is longer than 200 MB.]\n';

/**
 * A text that only grows. Appending costs the same at any length, and a reader with a cursor pays only for new text.
 * A plain string would be copied whole by each read after an append. Lines that are longer than `maxLine` are broken, and
 * what is behind `maxTextLength` is left out.
 */
export class GrowingText {
  /** Many small strings are joined to one, to save memory. */
  private readonly blocks: string[] = [];
  private parts: string[] = [];
  length = 0;
  /** The length of the last line. */
  private lineLength = 0;
  private readonly maxLine: number;
  private isFull = false;

  constructor(text = '', maxLine = Number.POSITIVE_INFINITY) {
    this.maxLine = maxLine;
    this.append(text);
  }

  append(text: string): void {
    if (text === '' || this.isFull) return;
    const room = Math.max(0, maxTextLength - this.length);
    if (text.length > room) {
      this.append(text.slice(0, characterBoundary(text, room)));
      this.isFull = true;
      return this.add(tooLong);
    }
    const isShort = this.lineLength + text.length <= this.maxLine;
    this.add(isShort ? text : breakLines(text, this.maxLine - this.lineLength, this.maxLine));
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

  private add(text: string): void {
    const lastBreak = text.lastIndexOf('\n');
    this.lineLength = lastBreak === -1 ? this.lineLength + text.length : text.length - lastBreak - 1;
    this.parts.push(text);
    this.length += text.length;
    if (this.parts.length < maxParts) return;
    this.blocks.push(this.parts.join(''));
    this.parts = [];
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

/** Breaks lines of more than `most` characters; `room` is what fits into the first one. */
function breakLines(text: string, room: number, most: number): string {
  const lines = text.split('\n').flatMap((line, index) => breakLine(line, index === 0 ? room : most, most));
  return lines.join('\n');
}

function breakLine(line: string, room: number, most: number): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  let end = room;
  while (end < line.length) {
    const boundary = characterBoundary(line, end);
    pieces.push(line.slice(start, boundary));
    start = boundary;
    end = boundary + most;
  }
  return [...pieces, line.slice(start)];
}
