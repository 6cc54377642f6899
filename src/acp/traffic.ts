import type { Disposable } from '../base.ts';
import type { Traffic, TrafficEntry, TrafficWatcher } from '../ports/wire.ts';
import type { Translator } from './dialects/streams.ts';
import { MessageCutter } from './message-cutter.ts';

const maxEntries = 2_000;
const maxBytes = 16 * 1024 * 1024;
const maxMessage = 64 * 1024;
const maxDepth = 100;

type Listen = (message: unknown, isOutgoing: boolean) => void;

/** The last messages of a connection. They are kept as they are: nothing is made of them until somebody looks. */
export class TrafficLog implements Traffic {
  private entries: TrafficEntry[] = [];
  private first = 0;
  private count = 0;
  private bytes = 0;
  private hasEnded = false;
  private readonly watchers = new Set<TrafficWatcher>();
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** Keeps a message; one that is too big is kept shortened. */
  readonly add: Listen = (message, isOutgoing) => {
    const size = weigh(message, maxDepth);
    const isShortened = size > maxMessage;
    const entry: TrafficEntry = {
      number: this.count,
      at: this.now(),
      isOutgoing,
      message: isShortened ? new MessageCutter(maxMessage).cut(message, maxDepth) : untouched(message),
      size,
      isShortened,
    };
    this.count += 1;
    this.entries.push(entry);
    this.bytes += keptSize(entry);
    while (this.entries.length - this.first > maxEntries || this.bytes > maxBytes) this.dropFirst();
    for (const watcher of this.watchers) watcher.onEntry(entry);
  };

  get isOver(): boolean {
    return this.hasEnded;
  }

  get oldest(): number {
    return this.count - (this.entries.length - this.first);
  }

  since(number: number, limit = maxEntries): readonly TrafficEntry[] {
    const from = this.first + Math.max(0, number - this.oldest);
    return this.entries.slice(from, from + limit);
  }

  watch(watcher: TrafficWatcher): Disposable {
    this.watchers.add(watcher);
    return { dispose: () => this.watchers.delete(watcher) };
  }

  /** The connection is over; what was said stays to be read. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    for (const watcher of [...this.watchers]) watcher.onEnd();
  }

  private dropFirst(): void {
    this.bytes -= keptSize(this.entries[this.first]!);
    this.first += 1;
    if (this.first < maxEntries) return;
    this.entries = this.entries.slice(this.first);
    this.first = 0;
  }
}

/** Changes nothing, and tells what passes. */
export function tap(listen: Listen): Translator {
  return {
    inbound: (message) => {
      listen(message, false);
      return [message];
    },
    outbound: (message) => {
      listen(message, true);
      return message;
    },
  };
}

function keptSize({ size, isShortened }: TrafficEntry): number {
  return isShortened ? maxMessage : size;
}

// A withdrawal is put into other words later, in place.
function untouched(message: unknown): unknown {
  const method = (message as { readonly method?: unknown }).method;
  const isWithdrawal = typeof method === 'string' && method.charCodeAt(0) === 0x24;
  return isWithdrawal ? { ...(message as object) } : message;
}

/** About how long a message is as text, without making one. What is nested too deep to be walked weighs too much. */
export function weigh(value: unknown, depth = maxDepth): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (depth === 0) return maxMessage;
  let weight = 2;
  if (Array.isArray(value)) {
    for (const item of value) weight += weigh(item, depth - 1) + 1;
    return weight;
  }
  for (const key in value)
    weight += key.length + 4 + weigh((value as Record<string, unknown>)[key], depth - 1);
  return weight;
}
