import type { Disposable } from '../../base/disposable.ts';
import { estimateSize, maxMessageDepth } from '../../base/json.ts';
import type { Traffic, TrafficEntry, TrafficWatcher } from '../../ports/traffic.ts';
import { type OriginalMessages, originalsOf, parseOriginals } from '../transports/joined-chunks.ts';
import type { MessageFilter } from './message-filters.ts';
import { MessageTruncator } from './truncate-message.ts';

const maxEntries = 2_000;
const maxBytes = 16 * 1024 * 1024;
const maxMessage = 64 * 1024;

type OnMessage = (message: unknown, isOutgoing: boolean) => void;

/** Messages that arrived together and that nobody has asked for yet. */
interface UnreadMessages extends OriginalMessages {
  readonly number: number;
  readonly at: number;
}

/** The latest messages of a connection, unformatted: nothing is computed until they are shown. */
export class TrafficLog implements Traffic {
  private kept: (TrafficEntry | UnreadMessages)[] = [];
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
    const sent = originalsOf(message);
    if (sent && this.watchers.size === 0) return this.keep({ ...sent, number: this.count, at: this.now() });
    for (const each of sent ? parseOriginals(sent) : [message]) this.addEntry(each, isOutgoing);
  };

  get isOver(): boolean {
    return this.hasEnded;
  }

  get oldest(): number {
    return Math.max(this.kept[this.first]?.number ?? this.count, this.count - maxEntries);
  }

  since(number: number, limit = maxEntries): readonly TrafficEntry[] {
    const from = Math.max(number, this.oldest);
    const entries: TrafficEntry[] = [];
    for (let index = this.first; index < this.kept.length && entries.length < limit; index += 1) {
      const kept = this.kept[index]!;
      if (kept.number + countOf(kept) <= from) continue;
      entries.push(...entriesOf(kept).filter((entry) => entry.number >= from));
    }
    return entries.slice(0, limit);
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

  private addEntry(message: unknown, isOutgoing: boolean): void {
    const entry = makeEntry({ number: this.count, at: this.now(), isOutgoing, message });
    this.keep(entry);
    for (const watcher of this.watchers) watcher.onEntry(entry);
  }

  private keep(kept: TrafficEntry | UnreadMessages): void {
    this.kept.push(kept);
    this.count += countOf(kept);
    this.bytes += keptSize(kept);
    while (this.hasEnoughWithoutFirst() || this.bytes > maxBytes) this.dropFirst();
  }

  private hasEnoughWithoutFirst(): boolean {
    const next = this.kept[this.first + 1];
    return next !== undefined && this.count - next.number >= maxEntries;
  }

  private dropFirst(): void {
    this.bytes -= keptSize(this.kept[this.first]!);
    this.first += 1;
    // Dropped ones stay in memory until the others are copied; there are never more of them than of the others.
    if (this.first <= this.kept.length / 2) return;
    this.kept = this.kept.slice(this.first);
    this.first = 0;
  }
}

function makeEntry(received: Pick<TrafficEntry, 'number' | 'at' | 'isOutgoing' | 'message'>): TrafficEntry {
  const size = estimateSize(received.message);
  if (size <= maxMessage) return { ...received, size, isShortened: false };
  const message = new MessageTruncator(maxMessage).truncate(received.message, maxMessageDepth);
  return { ...received, message, size, isShortened: true };
}

function countOf(kept: TrafficEntry | UnreadMessages): number {
  return 'lines' in kept ? kept.count : 1;
}

function entriesOf(kept: TrafficEntry | UnreadMessages): readonly TrafficEntry[] {
  if (!('lines' in kept)) return [kept];
  const { number, at } = kept;
  return parseOriginals(kept).map((message, index) =>
    makeEntry({ number: number + index, at, isOutgoing: false, message }),
  );
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

function keptSize(kept: TrafficEntry | UnreadMessages): number {
  if ('lines' in kept) return kept.lines.length;
  return kept.isShortened ? maxMessage : kept.size;
}
