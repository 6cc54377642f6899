import type { Disposable } from '../../base/disposable.ts';
import type { Traffic, TrafficEntry, TrafficWatcher } from '../../ports/traffic.ts';
import type { MessageFilter } from './message-filters.ts';
import { estimateSize, maxMessageDepth } from './message-size.ts';
import { MessageTruncator } from './truncate-message.ts';

const maxEntries = 2_000;
const maxBytes = 16 * 1024 * 1024;
const maxMessage = 64 * 1024;

type OnMessage = (message: unknown, isOutgoing: boolean) => void;

/** The latest messages of a connection, unformatted: nothing is computed until they are shown. */
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

  /** Adds a message; a large one is truncated. */
  readonly add: OnMessage = (message, isOutgoing) => {
    const size = estimateSize(message);
    const isShortened = size > maxMessage;
    const entry: TrafficEntry = {
      number: this.count,
      at: this.now(),
      isOutgoing,
      message: isShortened ? new MessageTruncator(maxMessage).truncate(message, maxMessageDepth) : message,
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

  /** Marks the connection as closed; the messages stay readable. */
  close(): void {
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

/** Reports every message and changes none. */
export function trafficFilter(onMessage: OnMessage): MessageFilter {
  return {
    inbound: (message) => {
      onMessage(message, false);
      return [message];
    },
    outbound: (message) => {
      onMessage(message, true);
      return message;
    },
  };
}

function keptSize({ size, isShortened }: TrafficEntry): number {
  return isShortened ? maxMessage : size;
}
