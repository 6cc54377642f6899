import { isRecord } from '../base/record.ts';
import { shorten } from '../base/text.ts';
import type { TrafficEntry } from '../ports/traffic.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';

const maxSummary = 120;
const maxOpen = 1_000;

type JsonRpcMessage = Record<string, unknown>;

/** Formats the messages of a connection, in order. A response gets the method name of its request. */
export class TrafficFormatter {
  /** Methods of unanswered requests, by direction and id. */
  private readonly open = new Map<string, string>();

  /** One line with the time, the direction and a summary. */
  heading({ at, isOutgoing, message, size, isShortened }: TrafficEntry): string {
    const parts = [
      clockTime(at),
      isOutgoing ? '→' : '←',
      ...(isRecord(message) ? this.name(message, isOutgoing) : ['batch', shortJson(message)]),
      ...(isShortened ? [`(${bytes(size)}, shortened)`] : []),
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  private name(message: JsonRpcMessage, isOutgoing: boolean): readonly string[] {
    const { id, method } = message;
    if (typeof method === 'string') {
      if (id !== undefined) this.remember(requestKey(isOutgoing, id), method);
      return [sanitiseLine(method), idText(id), callSummary(method, message.params)];
    }
    const asked = this.open.get(requestKey(!isOutgoing, id));
    this.open.delete(requestKey(!isOutgoing, id));
    const of = asked === undefined ? '' : ` of ${sanitiseLine(asked)}`;
    const { error } = message;
    if (error === undefined) return [`result${of}`, idText(id), shortJson(message.result)];
    return [
      `error${of}`,
      idText(id),
      isRecord(error) ? `${shortJson(error.code)} ${stringOrJson(error.message)}` : '',
    ];
  }

  // Bounded, because some requests are never answered.
  private remember(request: string, method: string): void {
    this.open.set(request, method);
    if (this.open.size <= maxOpen) return;
    for (const oldest of this.open.keys()) {
      this.open.delete(oldest);
      return;
    }
  }
}

export function messageLines(message: unknown): readonly string[] {
  const json = JSON.stringify(message, null, 2) ?? '';
  return json.split('\n').map((line) => `  ${sanitise(line)}`);
}

function requestKey(isOutgoing: boolean, id: unknown): string {
  return `${isOutgoing} ${JSON.stringify(id)}`;
}

function idText(id: unknown): string {
  return id === undefined ? '' : `#${sanitiseLine(String(id))}`;
}

function callSummary(method: string, params: unknown): string {
  const update = method === 'session/update' && isRecord(params) ? params.update : undefined;
  if (!isRecord(update)) return shortJson(params);
  const { sessionUpdate, content, toolCallId, status, title, ...rest } = update;
  const text =
    isRecord(content) && typeof content.text === 'string' ? JSON.stringify(content.text) : undefined;
  const tool = [toolCallId, status, title].filter((part) => typeof part === 'string').join(' ');
  return shortLine(`${String(sessionUpdate)} ${text ?? (tool || shortJson(rest))}`);
}

function stringOrJson(value: unknown): string {
  return typeof value === 'string' ? shortLine(value) : shortJson(value);
}

function shortJson(value: unknown): string {
  return value === undefined ? '' : shortLine(JSON.stringify(value));
}

function shortLine(text: string): string {
  return shorten(sanitiseLine(shorten(text, 4 * maxSummary)), maxSummary);
}

function bytes(count: number): string {
  return count < 1024 * 1024 ? `${Math.round(count / 1024)} kB` : `${(count / 1024 / 1024).toFixed(1)} MB`;
}

function clockTime(at: number): string {
  const date = new Date(at);
  const pad = (value: number, length = 2) => String(value).padStart(length, '0');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => pad(part)).join(':');
  return `${time}.${pad(date.getMilliseconds(), 3)}`;
}
