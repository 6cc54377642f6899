import type { Disposable } from '../base/disposable.ts';

/** A message of a connection. */
export interface TrafficEntry {
  /** Counts the messages of the connection, from 0. */
  readonly number: number;
  readonly at: number;
  readonly isOutgoing: boolean;
  readonly message: unknown;
  /** Its approximate size in bytes. */
  readonly size: number;
  /** Whether it was too large to be kept completely. */
  readonly isShortened: boolean;
}

export interface TrafficWatcher {
  onEntry(entry: TrafficEntry): void;
  onEnd(): void;
}

/** The latest messages of a connection, unchanged. They may contain secrets: use `redactMessage`. */
export interface Traffic {
  /** The number of the first message that is still kept. */
  readonly oldest: number;
  readonly isOver: boolean;
  /** The messages from a number on. */
  since(number: number, limit?: number): readonly TrafficEntry[];
  watch(watcher: TrafficWatcher): Disposable;
}
