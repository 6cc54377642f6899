import type { Message } from 'vscode-jsonrpc';
import { isRecord } from '../../base/record.ts';

/** Stands before the digits of an id that is not exact as a number. No id of an agent begins like this. */
const prefix = '\0';
const numbers = /"id"\s*:\s*(-?\d[\d.eE+-]*)/g;
const exactId = /^\0(-?\d[\d.eE+-]*)$/;

/** Makes the id of a request a text with all of its digits, if a number has less precision. `text`: the whole message. */
export function keepExactId(message: unknown, text: string): void {
  if (!isRecord(message) || typeof message.id !== 'number') return;
  if (Math.abs(message.id) <= Number.MAX_SAFE_INTEGER) return;
  const written = [...text.matchAll(numbers)].find(([, digits]) => Number(digits) === message.id);
  if (written) message.id = `${prefix}${written[1]}`;
}

/** A message as JSON, with its id as the agent wrote it. */
export function messageText(message: Message): string {
  const { id } = message as { id?: unknown };
  const text = JSON.stringify(message);
  const [, digits] = (typeof id === 'string' && exactId.exec(id)) || [];
  return digits === undefined ? text : text.replace(JSON.stringify(id), digits);
}
