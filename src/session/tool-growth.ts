import { isRecord } from '../base.ts';
import type { ToolPatch } from './events.ts';

/** Fields that an agent sends whole with each update, however long they have become. */
const growing = ['content', 'rawInput', 'rawOutput'] as const;
type Growing = (typeof growing)[number];
/** A short text is written whole: what it would be made of is as long. */
const minText = 256;
const anchorLength = 64;

type Path = readonly (string | number)[];

/** How a part of a field became what it is: `text` follows what is kept of a text, `items` are added to a list. */
export interface Growth {
  readonly path: Path;
  /** The length before. What has another length is not what the growth was made of. */
  readonly was: number;
  /** The part of the text before that is kept. */
  readonly kept?: readonly [from: number, to: number];
  readonly text?: string;
  readonly items?: readonly unknown[];
}

export type Growths = Partial<Readonly<Record<Growing, readonly Growth[]>>>;

interface Base {
  readonly fields: Partial<Record<Growing, unknown>>;
  isEnded: boolean;
}

/** The tool calls of an agent as they were written last. Writer and reader go through the same records in the same order. */
export class ToolBases {
  private readonly bases = new Map<string, Base>();

  clear(): void {
    this.bases.clear();
  }

  /** Takes out of a patch what the last one already had. The first patch after the end of a call is left whole, so that damage before it does not last. */
  shrink(patch: ToolPatch): { readonly patch: ToolPatch; readonly grown?: Growths } {
    const base = this.baseOf(patch);
    const isEnd = !base.isEnded && isEnded(patch);
    base.isEnded ||= isEnd;
    const rest: Record<string, unknown> = { ...patch };
    const grown: Partial<Record<Growing, readonly Growth[]>> = {};
    for (const field of growing) {
      if (patch[field] === undefined) continue;
      const growths: Growth[] = [];
      if (!isEnd && hasGrown(base.fields[field], patch[field], [], growths)) {
        grown[field] = growths;
        delete rest[field];
      }
      base.fields[field] = patch[field];
    }
    const shrunk = rest as unknown as ToolPatch;
    return Object.keys(grown).length === 0 ? { patch } : { patch: shrunk, grown };
  }

  /** The whole patch again; undefined when what it grew from is not there. */
  restore(patch: ToolPatch, grown: Growths = {}): ToolPatch | undefined {
    const base = this.baseOf(patch);
    const whole: Record<string, unknown> = { ...patch };
    for (const field of growing) {
      const growths = grown[field];
      const value = growths ? growths.reduce(grow, base.fields[field]) : patch[field];
      if (growths && value === undefined) return undefined;
      if (value === undefined) continue;
      whole[field] = value;
      base.fields[field] = value;
    }
    return whole as unknown as ToolPatch;
  }

  private baseOf({ toolCallId }: ToolPatch): Base {
    const known = this.bases.get(toolCallId);
    if (known) return known;
    const base: Base = { fields: {}, isEnded: false };
    this.bases.set(toolCallId, base);
    return base;
  }
}

function isEnded({ status }: ToolPatch): boolean {
  return status !== undefined && status !== 'pending' && status !== 'running';
}

/** Collects how one value became another; false when it is something else. */
function hasGrown(before: unknown, now: unknown, path: Path, growths: Growth[]): boolean {
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

function hasTextGrown(before: string, now: string, path: Path, growths: Growth[]): boolean {
  if (now.length < minText) return false;
  const kept = keptPart(before, now);
  if (!kept) return false;
  growths.push({ path, was: before.length, kept, text: now.slice(kept[1] - kept[0]) });
  return true;
}

// Output grows at its end; where only the end of it is sent, its beginning goes; what closes a code block moves.
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

function grow(value: unknown, growth: Growth): unknown {
  return growAt(value, growth, 0);
}

function growAt(value: unknown, growth: Growth, depth: number): unknown {
  const key = growth.path[depth];
  if (key === undefined) return grownValue(value, growth);
  const isList = Array.isArray(value) && typeof key === 'number';
  if (!isList && !isRecord(value)) return undefined;
  const inner = growAt((value as Record<string, unknown>)[key], growth, depth + 1);
  if (inner === undefined) return undefined;
  return isList ? value.with(key, inner) : { ...(value as object), [key]: inner };
}

function grownValue(value: unknown, { was, kept, text, items }: Growth): unknown {
  if (typeof value === 'string' && kept && text !== undefined && value.length === was) {
    return value.slice(kept[0], kept[1]) + text;
  }
  return Array.isArray(value) && items && value.length === was ? [...value, ...items] : undefined;
}
