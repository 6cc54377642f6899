import { isRecord, parseJson } from '../base.ts';

const maxDepth = 20;
const maxJson = 100_000;

/** A value as lines that a person can read: names and values, and a text with line breaks as lines. */
export function readable(value: unknown): readonly string[] {
  return linesOf(value, 0);
}

/** A text that is JSON as lines of names and values; any other as it is. */
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

/** One named value. */
export function readableField(name: string, value: unknown): readonly string[] {
  return fieldOf(name, value, 0);
}

function linesOf(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return value.trimEnd().split('\n');
  if (depth >= maxDepth) return ['(nested too deeply)'];
  if (Array.isArray(value)) return value.flatMap((item) => itemOf(item, depth + 1));
  if (!isRecord(value)) return [String(value)];
  return Object.entries(value).flatMap(([name, field]) => fieldOf(name, field, depth + 1));
}

function fieldOf(name: string, value: unknown, depth: number): readonly string[] {
  const lines = linesOf(value, depth);
  if (lines.length === 0) return [];
  const isPlain = lines.length === 1 && (typeof value !== 'object' || value === null);
  return isPlain ? [`${name}: ${lines[0]}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

function itemOf(item: unknown, depth: number): readonly string[] {
  const [first = '', ...rest] = linesOf(item, depth);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}
