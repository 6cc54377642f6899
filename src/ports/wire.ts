import type { Disposable } from '../base.ts';
import type { SessionSink } from './agent.ts';

/** A message on the wire. */
export interface TrafficEntry {
  /** Counts the messages of the connection, from 0. */
  readonly number: number;
  readonly at: number;
  readonly isOutgoing: boolean;
  readonly message: unknown;
  /** About how many bytes it had. */
  readonly size: number;
  /** It was too big to be kept whole. */
  readonly isShortened: boolean;
}

export interface TrafficWatcher {
  onEntry(entry: TrafficEntry): void;
  onEnd(): void;
}

/** The last messages of a connection, as they stood on the wire. They may hold secrets: `redactMessage` first. */
export interface Traffic {
  /** The number of the first message that is still kept. */
  readonly oldest: number;
  readonly isOver: boolean;
  /** What is kept from a number on. */
  since(number: number, limit?: number): readonly TrafficEntry[];
  watch(watcher: TrafficWatcher): Disposable;
}

/** Something beyond the protocol that an agent asks or tells. */
export interface ExtensionCall {
  /** Whose session it is about. */
  readonly owner: SessionSink | undefined;
  readonly agent: string;
  readonly session: string | undefined;
  readonly method: string;
  readonly params: unknown;
}

/** Names of methods. */
export interface ExtensionOffer {
  readonly requests: readonly string[];
  readonly notifications: readonly string[];
}

/** What the user has for agents beyond the protocol. */
export interface Extensions {
  /** What agents are told of, if there is anything. */
  readonly offer: ExtensionOffer | undefined;
  serves(method: string): boolean;
  /** Settles in a limited time. */
  request(call: ExtensionCall, withdrawn: AbortSignal): Promise<unknown>;
  notify(call: ExtensionCall): void;
}
