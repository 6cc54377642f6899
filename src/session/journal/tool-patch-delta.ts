import { estimateSize } from '../../base/json.ts';
import { isRecord } from '../../base/record.ts';
import type { ToolPatch } from '../../model/session-events.ts';

/** Fields that agents send whole with each update, even if they grow. */
const growingFields = ['content', 'rawInput', 'rawOutput'] as const;
type GrowingField = (typeof growingFields)[number];
/** Shorter texts are stored whole: the difference would not be smaller. */
const minText = 256;
const anchorLength = 64;
/** Of the fields of all calls that the next patches are compared with. The next patch of another call is stored whole. */
const maxBases = 8 * 1024 * 1024;

type Path = readonly (string | number)[];

/** How a part of a field grew: `text` is appended to the kept part of a string, `items` to a list. */
export interface FieldGrowth {
  readonly path: Path;
  /** The length before. If it differs, a record is missing. */
  readonly was: number;
  /** The range of the old text that is kept. */
  readonly kept?: readonly [from: number, to: number];
  readonly text?: string;
  readonly items?: readonly unknown[];
}

export type PatchGrowth = Partial<Readonly<Record<GrowingField, readonly FieldGrowth[]>>>;

interface LastFields {
  readonly fields: Partial<Record<GrowingField, unknown>>;
  isEnded: boolean;
  size: number;
}

/** Stores tool call updates as differences to the previous one. Writer and reader must process the same records in order. */
export class ToolPatchDelta {
  /** The call that was changed last is the last one. */
  private readonly bases = new Map<string, LastFields>();
  private size = 0;

  clear(): void {
    this.bases.clear();
    this.size = 0;
  }

  /** Removes what the last patch had. The patch that ends a call stays whole, in case an earlier record is damaged. */
  shrink(patch: ToolPatch): { readonly patch: ToolPatch; readonly grown?: PatchGrowth } {
    const base = this.baseOf(patch);
    const isEnd = !base.isEnded && isEnded(patch);
    base.isEnded ||= isEnd;
    const rest: Record<string, unknown> = { ...patch };
    const grown: Partial<Record<GrowingField, readonly FieldGrowth[]>> = {};
    for (const field of growingFields) {
      if (patch[field] === undefined) continue;
      const growths: FieldGrowth[] = [];
      if (!isEnd && hasGrown(base.fields[field], patch[field], [], growths)) {
        grown[field] = growths;
        delete rest[field];
      }
      base.fields[field] = patch[field];
    }
    this.limitBases(base);
    const shrunk = rest as unknown as ToolPatch;
    return Object.keys(grown).length === 0 ? { patch } : { patch: shrunk, grown };
  }

  /** The whole patch; undefined if a record that it builds on is missing. */
  restore(patch: ToolPatch, grown: PatchGrowth = {}): ToolPatch | undefined {
    const base = this.baseOf(patch);
    const whole: Record<string, unknown> = { ...patch };
    for (const field of growingFields) {
      const growths = grown[field];
      const value = growths ? growths.reduce(grow, base.fields[field]) : patch[field];
      if (growths && value === undefined) return undefined;
      if (value === undefined) continue;
      whole[field] = value;
      base.fields[field] = value;
    }
    this.limitBases(base);
    return whole as unknown as ToolPatch;
  }

  private baseOf({ toolCallId }: ToolPatch): LastFields {
    const base = this.bases.get(toolCallId) ?? { fields: {}, isEnded: false, size: 0 };
    this.bases.delete(toolCallId);
    this.bases.set(toolCallId, base);
    return base;
  }

  // Writer and reader forget the same calls, because they see the same patches.
  private limitBases(changed: LastFields): void {
    const size = estimateSize(changed.fields);
    this.size += size - changed.size;
    changed.size = size;
    for (const [id, base] of this.bases) {
      if (this.size <= maxBases || base === changed) return;
      this.bases.delete(id);
      this.size -= base.size;
    }
  }
}

function isEnded({ status }: ToolPatch): boolean {
  return status !== undefined && status !== 'pending' && status !== 'running';
}

/** Collects how `before` grew to `now`; false if `now` is not a grown `before`. */
function hasGrown(before: unknown, now: unknown, path: Path, growths: FieldGrowth[]): boolean {
  if (before === now) return before !== undefined;
  if (typeof before === 'string' && typeof now === 'string') return hasTextGrown(before, now, path, growths);
  if (Array.isArray(before) && Array.isArray(now)) {
    if (now.length < before.length) return false;
    if (!before.every((item, index) => hasGrown(item, now[index], [...path, index], growths))) return false;
    if (now.length > before.length) {
      growths.push({ path, was: before.length, items: now.slice(before.length) });
    }
    return true;
  }
  if (!isRecord(before) || !isRecord(now)) return false;
  const keys = keysOf(now);
  if (keys.length !== keysOf(before).length) return false;
  return keys.every((key) => hasGrown(before[key], now[key], [...path, key], growths));
}

function keysOf(value: Record<string, unknown>): readonly string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

function hasTextGrown(before: string, now: string, path: Path, growths: FieldGrowth[]): boolean {
  if (now.length < minText) return false;
  const kept = keptPart(before, now);
  if (!kept) return false;
  growths.push({ path, was: before.length, kept, text: now.slice(kept[1] - kept[0]) });
  return true;
}

// Output grows at its end, may lose its beginning, and may be followed by a closing code fence that moves.
function keptPart(before: string, now: string): readonly [number, number] | undefined {
  if (now.startsWith(before)) return [0, before.length];
  const same = commonLength(before, now);
  if (same >= before.length / 2) return [0, same];
  const from = before.indexOf(now.slice(0, anchorLength));
  return from > 0 && now.startsWith(before.slice(from)) ? [from, before.length] : undefined;
}

function commonLength(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let length = 0;
  while (length < end && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

function grow(value: unknown, growth: FieldGrowth): unknown {
  return growAt(value, growth, 0);
}

function growAt(value: unknown, growth: FieldGrowth, depth: number): unknown {
  const key = growth.path[depth];
  if (key === undefined) return grownValue(value, growth);
  const isList = Array.isArray(value) && typeof key === 'number';
  if (!isList && !isRecord(value)) return undefined;
  const inner = growAt((value as Record<string, unknown>)[key], growth, depth + 1);
  if (inner === undefined) return undefined;
  return isList ? value.with(key, inner) : { ...(value as object), [key]: inner };
}

function grownValue(value: unknown, { was, kept, text, items }: FieldGrowth): unknown {
  if (typeof value === 'string' && kept && text !== undefined && value.length === was) {
    return value.slice(kept[0], kept[1]) + text;
  }
  return Array.isArray(value) && items && value.length === was ? [...value, ...items] : undefined;
}
