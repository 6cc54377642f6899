import type { Disposable } from '../base.ts';

/** Time, as the program sees it; tests bring their own. */
export interface Clock {
  now(): number;
  /** Calls back once, unless disposed first. */
  after(ms: number, callback: () => void): Disposable;
  /** Calls back again and again until disposed. */
  every(ms: number, callback: () => void): Disposable;
}

export interface Log {
  error(message: string, error?: unknown): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

/** What the host asks of the editor. Every call is answered from the editor's memory, none waits for the user. */
export interface Editor {
  /** Tells Lua one operation and resolves with its answer. */
  call(op: string, payload: object): Promise<unknown>;
  /** Tells Lua one operation; failures come back as a report of Lua's own. */
  tell(op: string, payload: object): void;
}
