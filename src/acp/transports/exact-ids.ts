import type { Message } from 'vscode-jsonrpc';
import { isRecord } from '../../base/record.ts';

/** Stands before the digits of an id that is not exact as a number. No id of an agent begins like this. */
const prefix = '\0';
const numberAfterKey = /\s*:\s*(-?\d[\d.eE+-]*)/y;
const exactId = /^\0(-?\d[\d.eE+-]*)$/;
const textId = /^\{"jsonrpc":"2\.0","id":("\\u0000-?\d[\d.eE+-]*")/;
const longNumber = /"id"\s*:\s*-?\d[\d.]{15}/;
const eventData = /^(data: ?)(\{.*\})/gm;

/** Makes the id of a request a text with all of its digits, if a number has less precision. `text`: the whole message. */
export function keepExactId(message: unknown, text: string): void {
  if (!isRecord(message) || typeof message.id !== 'number') return;
  if (Math.abs(message.id) <= Number.MAX_SAFE_INTEGER) return;
  const digits = digitsOfId(text);
  if (Number(digits) === message.id) message.id = `${prefix}${digits}`;
}

/** A message as JSON, with its id as the agent wrote it. */
export function messageText(message: Message): string {
  return withDigits(JSON.stringify(message), (message as { id?: unknown }).id);
}

/** Makes the id in a message that other code has serialised the number that the agent wrote. */
export function withNumberId(text: string): string {
  const [, id] = textId.exec(text) ?? [];
  return id === undefined ? text : withDigits(text, JSON.parse(id));
}

/** Whether a text may have an id that is not exact as a number. */
export function hasLongId(text: string): boolean {
  return longNumber.test(text);
}

/** Makes the ids in the lines of an event stream texts with all of their digits, if numbers have less precision. */
export function withTextIds(lines: string): string {
  return lines.replace(eventData, (_, name: string, data: string) => name + withTextId(data));
}

// Text that is no JSON, or is nested too deep to be written again, stays as it is.
function withTextId(text: string): string {
  try {
    const message: unknown = JSON.parse(text);
    keepExactId(message, text);
    return isRecord(message) && typeof message.id === 'string' ? JSON.stringify(message) : text;
  } catch {
    return text;
  }
}

/** The number behind the last key `id` of the outermost object; values inside of it may have keys of that name too. */
function digitsOfId(text: string): string | undefined {
  let digits: string | undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (character !== '"') continue;
    const start = at;
    at = endOfString(text, start);
    if (depth !== 1 || text.slice(start, at + 1) !== '"id"') continue;
    numberAfterKey.lastIndex = at + 1;
    digits = numberAfterKey.exec(text)?.[1] ?? digits;
  }
  return digits;
}

function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
}

function withDigits(text: string, id: unknown): string {
  const [, digits] = (typeof id === 'string' && exactId.exec(id)) || [];
  return digits === undefined ? text : text.replace(JSON.stringify(id), digits);
}
