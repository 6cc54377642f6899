import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../base/record.ts';
import type { TerminalExit, ToolEntry } from '../../../model/entries.ts';
import { commandsIn } from '../../../model/tools/tool-arguments.ts';
import { unfenced } from '../../code-fence.ts';

/** The output and exit status of a command, for calls without a terminal. */
interface CommandOutput {
  readonly text: string;
  readonly exit: TerminalExit | undefined;
}

const maxDepth = 4;
const maxArguments = 100_000;
const wholeNames = ['aggregated_output', 'formatted_output', 'output', 'result', 'text'] as const;
const listNames = ['contents', 'content'] as const;
const codeNames = ['exit_code', 'exitCode', 'exit'] as const;

/** Agents send the output as content or as raw output, in many shapes, and whole with each update. */
export function readCommandOutput(tool: ToolEntry): CommandOutput {
  return { text: contentOutput(tool) || rawOutputText(tool.rawOutput), exit: rawExitStatus(tool.rawOutput) };
}

function contentOutput(tool: ToolEntry): string {
  if (tool.content === tool.askedContent) return '';
  const texts = tool.content.flatMap((item) => (item.kind === 'text' ? [unfenced(item.text)] : []));
  const written = texts.filter((text) => text.trim() !== '' && !isDescription(text, tool));
  return written.length === 1 ? written[0]! : written.join('\n');
}

// Before there is output, some agents send the command itself, or its arguments as they stream in.
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

/** The text of a raw output; empty if there is none. */
export function rawOutputText(raw: unknown, depth = maxDepth): string {
  if (typeof raw === 'string') return raw;
  if (depth === 0) return '';
  if (Array.isArray(raw)) return joined(raw.map((item) => rawOutputText(item, depth - 1)));
  if (!isRecord(raw)) return '';
  const name = wholeNames.find((each) => isNonEmptyString(raw[each]));
  if (name !== undefined) return raw[name] as string;
  const streams = joined([raw.stdout, raw.stderr].filter(isNonEmptyString));
  if (streams !== '') return streams;
  const list = listNames.map((each) => raw[each]).find(Array.isArray);
  return rawOutputText(list ?? raw.content ?? raw.metadata, depth - 1);
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function joined(texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .map((text, index, { length }) => (index < length - 1 && !text.endsWith('\n') ? `${text}\n` : text))
    .join('');
}

/** The exit status in a raw output, if it has one. */
function rawExitStatus(raw: unknown, depth = maxDepth): TerminalExit | undefined {
  if (depth === 0) return undefined;
  if (Array.isArray(raw)) return firstOf(raw, (item) => rawExitStatus(item, depth - 1));
  if (!isRecord(raw)) return undefined;
  const code = firstOf(codeNames, (name) => (typeof raw[name] === 'number' ? raw[name] : undefined));
  const signal = isNonEmptyString(raw.signal) ? raw.signal : undefined;
  if (code !== undefined || signal !== undefined) return { code, signal };
  return firstOf([raw.metadata, raw.contents], (inner) => rawExitStatus(inner, depth - 1));
}

/** Some agents report `success: false` instead of an exit code. */
export function reportsFailure(raw: unknown): boolean {
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
