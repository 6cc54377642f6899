import type { Message } from 'vscode-jsonrpc';
import { isRecord } from '../../../base/record.ts';
import { noteOriginals } from '../joined-chunks.ts';

const textStart = /"text"\s*:\s*"/;
const chunkNames: readonly unknown[] = ['agent_message_chunk', 'agent_thought_chunk'];

/** A text chunk of an agent's message or thought that has no other fields. */
interface TextChunk extends Message {
  readonly method: 'session/update';
  readonly params: {
    readonly sessionId: string;
    readonly update: { readonly content: { readonly type: 'text'; readonly text: string } };
  };
}

/**
 * What the text chunks of one message have in common: a program writes them alike, so that their lines differ only
 * between the quotes of the text. Such lines become one message, and only their texts are parsed.
 */
export class ChunkTemplate {
  private readonly head: string;
  private readonly tail: string;
  private readonly chunk: TextChunk;

  private constructor(head: string, tail: string, chunk: TextChunk) {
    this.head = head;
    this.tail = tail;
    this.chunk = chunk;
  }

  /** The template of lines like this one; undefined if it is not a text chunk. */
  static of(line: string): ChunkTemplate | undefined {
    const start = textStart.exec(line);
    const first = start ? start.index + start[0].length : 0;
    const last = start ? endOfString(line, first) : -1;
    if (last === -1) return undefined;
    const [head, tail] = [line.slice(0, first), line.slice(last)];
    // An agent may write a key twice, and only the last one counts.
    const isRead = parseChunk(`${head}x${tail}`)?.params.update.content.text === 'x';
    const chunk = isRead ? parseChunk(head + tail) : undefined;
    return chunk?.params.update.content.text === '' ? new ChunkTemplate(head, tail, chunk) : undefined;
  }

  matches(line: string): boolean {
    const { head, tail } = this;
    return line.length >= head.length + tail.length && line.startsWith(head) && line.endsWith(tail);
  }

  /** One message with the text of all lines; undefined unless each of them is a message of this template. */
  join(lines: string): Message | undefined {
    const { head, tail } = this;
    // A backslash before the end of a text may escape its quote.
    if (!this.matches(lines) || lines.includes(`\\${tail}`)) return undefined;
    const texts = lines.slice(head.length, -tail.length).split(`${tail}\n${head}`);
    const parsed = parseTexts(texts);
    // A text with a quote in it is more than one text, or begins another value that a later text may end.
    if (parsed?.length !== texts.length || !parsed.every(isString)) return undefined;
    const joined = withText(this.chunk, parsed.join(''));
    noteOriginals(joined, { lines, count: texts.length });
    return joined;
  }
}

// The array is valid JSON only if each text is, and if no other line is between two of them.
function parseTexts(texts: readonly string[]): readonly unknown[] | undefined {
  try {
    return JSON.parse(`["${texts.join('","')}"]`) as readonly unknown[];
  } catch {
    return undefined;
  }
}

function withText(chunk: TextChunk, text: string): TextChunk {
  const { params } = chunk;
  const content = { ...params.update.content, text };
  return { ...chunk, params: { ...params, update: { ...params.update, content } } };
}

function parseChunk(line: string): TextChunk | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isTextChunk(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function isTextChunk(message: unknown): message is TextChunk {
  if (!hasOnly(message, 'jsonrpc', 'method', 'params')) return false;
  const { jsonrpc, method, params } = message;
  if (jsonrpc !== '2.0' || method !== 'session/update') return false;
  if (!hasOnly(params, 'sessionId', 'update') || !isString(params.sessionId)) return false;
  const { update } = params;
  if (!hasOnly(update, 'sessionUpdate', 'content', 'messageId')) return false;
  if (!chunkNames.includes(update.sessionUpdate)) return false;
  const { content } = update;
  return hasOnly(content, 'type', 'text') && content.type === 'text' && isString(content.text);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function hasOnly(value: unknown, ...keys: readonly string[]): value is Record<string, unknown> {
  return isRecord(value) && Object.keys(value).every((key) => keys.includes(key));
}

function endOfString(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at !== -1 && isEscaped(line, at)) at = line.indexOf('"', at + 1);
  return at;
}

function isEscaped(line: string, at: number): boolean {
  let first = at;
  while (line[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
