import { characterBoundary, copyText } from '../../base/text.ts';

const maxText = 4_000;
const shortText = 100;
const nodeSize = 8;

/** Copies a message within a size limit: long strings are truncated, lists and objects end when the limit is reached. */
export class MessageTruncator {
  private remaining: number;

  constructor(limit: number) {
    this.remaining = limit;
  }

  truncate(value: unknown, depth: number): unknown {
    this.remaining -= nodeSize;
    if (typeof value === 'string') return this.truncateText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === 0) return '…';
    if (Array.isArray(value)) return [...this.truncateItems(value, depth)];
    return Object.fromEntries(this.truncateFields(value as Record<string, unknown>, depth));
  }

  private truncateText(text: string): string {
    const end = Math.min(maxText, Math.max(this.remaining, shortText));
    this.remaining -= Math.min(text.length, end);
    if (text.length <= end) return text;
    const kept = copyText(text.slice(0, characterBoundary(text, end)));
    return `${kept}… (${text.length - end} characters left out)`;
  }

  private *truncateItems(items: readonly unknown[], depth: number): Generator<unknown> {
    for (const item of items) {
      if (this.remaining <= 0) return;
      yield this.truncate(item, depth - 1);
    }
  }

  // Short values such as ids and names come first, so that the limit drops them last.
  private *truncateFields(
    fields: Readonly<Record<string, unknown>>,
    depth: number,
  ): Generator<[string, unknown]> {
    const sorted = Object.entries(fields).sort(([, one], [, other]) => rank(one) - rank(other));
    for (const [key, value] of sorted) {
      if (this.remaining <= 0) return;
      this.remaining -= key.length;
      yield [key, this.truncate(value, depth - 1)];
    }
  }
}

function rank(value: unknown): number {
  if (typeof value === 'object' && value !== null) return 2;
  return typeof value === 'string' && value.length > shortText ? 1 : 0;
}
