import type { Message } from 'vscode-jsonrpc';
import { parseJson } from '../../base/json.ts';

/** The messages that a message stands for, each on a line. */
export interface OriginalMessages {
  readonly lines: string;
  readonly count: number;
}

const originals = new WeakMap<object, OriginalMessages>();

/** Notes that a message has the text of several that the agent sent. */
export function noteOriginals(joined: Message, sent: OriginalMessages): void {
  originals.set(joined, sent);
}

/** The messages that a message stands for; undefined if it was sent as it is. */
export function originalsOf(message: unknown): OriginalMessages | undefined {
  return typeof message === 'object' && message !== null ? originals.get(message) : undefined;
}

export function parseOriginals({ lines }: OriginalMessages): readonly unknown[] {
  return lines.split('\n').map(parseJson);
}

/** The messages as the agent sent them. */
export function separate(message: unknown): readonly unknown[] {
  const sent = originalsOf(message);
  return sent ? parseOriginals(sent) : [message];
}
