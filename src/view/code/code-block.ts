import { matchFence } from '../markdown.ts';

/** A code block of a message. */
export interface CodeBlock {
  readonly language: string;
  /** What follows the fence on its line, the language included. */
  readonly info: string;
  readonly lines: readonly string[];
  /** The last line with text above the block; '' without one. */
  readonly above: string;
}

/** The code block that a line of a text is in, its fences included. */
export function codeBlockAt(text: string, row: number): CodeBlock | undefined {
  const lines = text.replaceAll('\r', '').split('\n');
  for (let at = 0; at <= row && at < lines.length; at += 1) {
    const fence = matchFence(lines[at]!);
    if (!fence) continue;
    const end = endOf(lines, at, fence.marker);
    if (row <= end) return blockOf(lines, at, end);
    at = end;
  }
  return undefined;
}

export function isPatch({ language }: CodeBlock): boolean {
  return language === 'diff' || language === 'patch';
}

// A block that is still streaming in ends with the text.
function endOf(lines: readonly string[], start: number, marker: string): number {
  for (let at = start + 1; at < lines.length; at += 1) {
    const fence = matchFence(lines[at]!);
    if (fence?.marker.startsWith(marker) && fence.language === '') return at;
  }
  return lines.length;
}

function blockOf(lines: readonly string[], start: number, end: number): CodeBlock {
  const { indent, language, marker } = matchFence(lines[start]!)!;
  const margin = new RegExp(`^\\s{0,${indent}}`);
  return {
    language,
    info: lines[start]!.slice(indent + marker.length).trim(),
    lines: lines.slice(start + 1, end).map((line) => line.replace(margin, '')),
    above: lines.slice(0, start).findLast((line) => line.trim() !== '') ?? '',
  };
}
