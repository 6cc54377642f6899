import { wholeCharacters } from '../base.ts';

const maxText = 4_000;
const shortText = 100;
const nodeSize = 8;

/** Makes a message of the same shape that fits into less room: long texts are cut, and lists end where the room does. */
export class MessageCutter {
  private room: number;

  constructor(room: number) {
    this.room = room;
  }

  cut(value: unknown, depth: number): unknown {
    this.room -= nodeSize;
    if (typeof value === 'string') return this.cutText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === 0) return '…';
    if (Array.isArray(value)) return [...this.cutItems(value, depth)];
    return Object.fromEntries(this.cutFields(value as Record<string, unknown>, depth));
  }

  private cutText(text: string): string {
    const end = Math.min(maxText, Math.max(this.room, shortText));
    this.room -= Math.min(text.length, end);
    if (text.length <= end) return text;
    return `${text.slice(0, wholeCharacters(text, end))}… (${text.length - end} characters left out)`;
  }

  private *cutItems(items: readonly unknown[], depth: number): Generator<unknown> {
    for (const item of items) {
      if (this.room <= 0) return;
      yield this.cut(item, depth - 1);
    }
  }

  // Ids and names come before what they are about, so that there is room for them.
  private *cutFields(fields: Readonly<Record<string, unknown>>, depth: number): Generator<[string, unknown]> {
    const sorted = Object.entries(fields).sort(([, one], [, other]) => rank(one) - rank(other));
    for (const [key, value] of sorted) {
      if (this.room <= 0) return;
      this.room -= key.length;
      yield [key, this.cut(value, depth - 1)];
    }
  }
}

function rank(value: unknown): number {
  if (typeof value === 'object' && value !== null) return 2;
  return typeof value === 'string' && value.length > shortText ? 1 : 0;
}
