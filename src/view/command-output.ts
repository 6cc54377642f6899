import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../base.ts';
import { commandsIn } from '../session/arguments.ts';
import type { TerminalExit, ToolEntry } from '../session/model.ts';

/** What a command wrote and how it ended, as its call tells it without a terminal. */
export interface CommandOutput {
  readonly text: string;
  readonly exit: TerminalExit | undefined;
}

const maxDepth = 4;
const maxArguments = 100_000;
const wholeNames = ['aggregated_output', 'formatted_output', 'output', 'result', 'text'] as const;
const listNames = ['contents', 'content'] as const;
const codeNames = ['exit_code', 'exitCode', 'exit'] as const;

/** Agents send output as text or as raw output, whole each time, in many shapes. */
export function commandOutputOf(tool: ToolEntry): CommandOutput {
  return { text: contentOutput(tool) || rawText(tool.rawOutput), exit: rawExit(tool.rawOutput) };
}

function contentOutput(tool: ToolEntry): string {
  if (tool.content === tool.askedContent) return '';
  const texts = tool.content.flatMap((item) => (item.kind === 'text' ? [unfenced(item.text)] : []));
  const written = texts.filter((text) => text.trim() !== '' && !isDescription(text, tool));
  return written.length === 1 ? written[0]! : written.join('\n');
}

// Before a command has written anything, some agents show what they will run, or its arguments as they stream in.
function isDescription(text: string, { title, rawInput, status }: ToolEntry): boolean {
  const words = text.length < maxArguments ? text.trim() : '';
  if (words === '' || status === 'done' || status === 'failed') return false;
  const description = isRecord(rawInput) ? rawInput.description : undefined;
  if (words === title.trim() || words === description || commandsIn(rawInput).includes(words)) return true;
  if (!words.startsWith('{"')) return false;
  return rawInput === undefined || isDeepStrictEqual(parsed(words), rawInput);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a raw output; empty when there is none. */
export function rawText(raw: unknown, depth = maxDepth): string {
  if (typeof raw === 'string') return raw;
  if (depth === 0) return '';
  if (Array.isArray(raw)) return joined(raw.map((item) => rawText(item, depth - 1)));
  if (!isRecord(raw)) return '';
  const name = wholeNames.find((each) => isText(raw[each]));
  if (name !== undefined) return raw[name] as string;
  const streams = joined([raw.stdout, raw.stderr].filter(isText));
  if (streams !== '') return streams;
  const list = listNames.map((each) => raw[each]).find(Array.isArray);
  return rawText(list ?? raw.content ?? raw.metadata, depth - 1);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function joined(texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .map((text, index, { length }) => (index < length - 1 && !text.endsWith('\n') ? `${text}\n` : text))
    .join('');
}

/** How a command ended by its raw output; nothing when that does not say. */
export function rawExit(raw: unknown, depth = maxDepth): TerminalExit | undefined {
  if (depth === 0) return undefined;
  if (Array.isArray(raw)) return firstOf(raw, (item) => rawExit(item, depth - 1));
  if (!isRecord(raw)) return undefined;
  const code = firstOf(codeNames, (name) => (typeof raw[name] === 'number' ? raw[name] : undefined));
  const signal = isText(raw.signal) ? raw.signal : undefined;
  if (code !== undefined || signal !== undefined) return { code, signal };
  return firstOf([raw.metadata, raw.contents], (inner) => rawExit(inner, depth - 1));
}

/** Some agents tell of the end of a command only whether it was a good one. */
export function saysFailure(raw: unknown): boolean {
  const results = Array.isArray(raw) ? raw : [raw];
  return results.some((result) => isRecord(result) && result.success === false);
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const fences = ['```', '~~~'];

/** A text without the code fence around it. */
export function unfenced(text: string): string {
  const start = text.search(/\S/);
  const fence = fences.find((each) => text.startsWith(each, start));
  const firstEnd = text.indexOf('\n', start);
  if (fence === undefined || firstEnd === -1) return text;
  const clean = text.trimEnd();
  const lastStart = clean.lastIndexOf('\n') + 1;
  const last = clean.slice(lastStart);
  // While it grows the closing fence is not there yet.
  const isClosed = lastStart > firstEnd && isFence(last, fence);
  if (isClosed) return clean.slice(firstEnd + 1, Math.max(firstEnd + 1, lastStart - 1));
  return clean.includes(`\n${fence}`) ? text : text.slice(firstEnd + 1);
}

function isFence(line: string, fence: string): boolean {
  return line.startsWith(fence) && [...line].every((character) => character === fence[0]);
}
