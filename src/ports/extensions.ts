import type { SessionSink } from './agent.ts';

/** An extension request or notification of an agent. */
export interface ExtensionCall {
  /** The chat that it belongs to. */
  readonly owner: SessionSink | undefined;
  readonly agent: string;
  readonly session: string | undefined;
  readonly method: string;
  readonly params: unknown;
}

/** The names of the methods that are served. */
export interface ExtensionOffer {
  readonly requests: readonly string[];
  readonly notifications: readonly string[];
}

/** The extension methods that the user's Lua code serves. */
export interface Extensions {
  /** Advertised in the handshake; undefined if there are no methods. */
  readonly offer: ExtensionOffer | undefined;
  serves(method: string): boolean;
  /** Settles within a time limit. */
  request(call: ExtensionCall, withdrawn: AbortSignal): Promise<unknown>;
  notify(call: ExtensionCall): void;
}
