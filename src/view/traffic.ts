import { isRecord, shorten } from '../base.ts';
import type { TrafficEntry } from '../ports/wire.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';

const maxSummary = 120;
const maxOpen = 1_000;

type Wire = Record<string, unknown>;

/** Puts the messages of a connection into words, in their order: an answer is named after its request. */
export class TrafficText {
  /** Requests that are not answered yet, by side and id. */
  private readonly open = new Map<string, string>();

  /** One line: when, which way, what. */
  heading({ at, isOutgoing, message, size, isShortened }: TrafficEntry): string {
    const parts = [
      clockTime(at),
      isOutgoing ? '→' : '←',
      ...(isRecord(message) ? this.name(message, isOutgoing) : ['batch', inBrief(message)]),
      ...(isShortened ? [`(${bytes(size)}, shortened)`] : []),
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  private name(message: Wire, isOutgoing: boolean): readonly string[] {
    const { id, method } = message;
    if (typeof method === 'string') {
      if (id !== undefined) this.remember(key(isOutgoing, id), method);
      return [sanitiseLine(method), idText(id), callSummary(method, message.params)];
    }
    const asked = this.open.get(key(!isOutgoing, id));
    this.open.delete(key(!isOutgoing, id));
    const of = asked === undefined ? '' : ` of ${sanitiseLine(asked)}`;
    const { error } = message;
    if (error === undefined) return [`result${of}`, idText(id), inBrief(message.result)];
    return [
      `error${of}`,
      idText(id),
      isRecord(error) ? `${inBrief(error.code)} ${textIn(error.message)}` : '',
    ];
  }

  // One that is never answered must not be remembered for ever.
  private remember(request: string, method: string): void {
    this.open.set(request, method);
    if (this.open.size <= maxOpen) return;
    for (const oldest of this.open.keys()) {
      this.open.delete(oldest);
      return;
    }
  }
}

/** The message as JSON, indented below its heading. */
export function messageLines(message: unknown): readonly string[] {
  const json = JSON.stringify(message, null, 2) ?? '';
  return json.split('\n').map((line) => `  ${sanitise(line)}`);
}

function key(isOutgoing: boolean, id: unknown): string {
  return `${isOutgoing} ${JSON.stringify(id)}`;
}

function idText(id: unknown): string {
  return id === undefined ? '' : `#${sanitiseLine(String(id))}`;
}

function callSummary(method: string, params: unknown): string {
  const update = method === 'session/update' && isRecord(params) ? params.update : undefined;
  if (!isRecord(update)) return inBrief(params);
  const { sessionUpdate, content, toolCallId, status, title, ...rest } = update;
  const said =
    isRecord(content) && typeof content.text === 'string' ? JSON.stringify(content.text) : undefined;
  const tool = [toolCallId, status, title].filter((part) => typeof part === 'string').join(' ');
  return shortLine(`${String(sessionUpdate)} ${said ?? (tool || inBrief(rest))}`);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? shortLine(value) : inBrief(value);
}

function inBrief(value: unknown): string {
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
