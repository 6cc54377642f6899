import { parseJson } from '../base/json.ts';
import { isRecord } from '../base/record.ts';

const maxDepth = 20;
const maxJson = 100_000;

/** A JSON value as readable lines: `name: value`, and multi-line strings as lines. */
export function readable(value: unknown): readonly string[] {
  return valueLines(value, 0);
}

/** Formats a text that is JSON with `readable`; returns any other text unchanged. */
export function readableText(text: string): string {
  const trimmed = text.trim();
  const ends = `${trimmed.at(0)}${trimmed.at(-1)}`;
  if (trimmed.length > maxJson || (ends !== '{}' && ends !== '[]')) return text;
  try {
    return readable(parseJson(trimmed)).join('\n');
  } catch {
    return text;
  }
}

export function readableField(name: string, value: unknown): readonly string[] {
  return namedValueLines(name, value, 0);
}

function valueLines(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return value.trimEnd().split('\n');
  if (depth >= maxDepth) return ['(nested too deeply)'];
  if (Array.isArray(value)) return value.flatMap((item) => listItemLines(item, depth + 1));
  if (!isRecord(value)) return [String(value)];
  return Object.entries(value).flatMap(([name, field]) => namedValueLines(name, field, depth + 1));
}

function namedValueLines(name: string, value: unknown, depth: number): readonly string[] {
  const lines = valueLines(value, depth);
  if (lines.length === 0) return [];
  const isPlain = lines.length === 1 && (typeof value !== 'object' || value === null);
  return isPlain ? [`${name}: ${lines[0]}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

function listItemLines(item: unknown, depth: number): readonly string[] {
  const [first = '', ...rest] = valueLines(item, depth);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}
