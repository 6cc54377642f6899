import { shorten } from '../base.ts';
import type { Entry, ToolEntry } from '../session/model.ts';
import { unfenced } from './command-output.ts';
import { moreLines } from './format.ts';
import { type Line, lineOf } from './line.ts';
import { readable, readableText } from './readable.ts';
import { sanitise } from './sanitise.ts';

export const maxBodyLines = 400;
export const maxBodyColumns = 2_000;

/** What stands where something was left out that `<CR>` shows. */
export const wayToTheWhole = '<CR> shows all';

/** Text below a heading: indented, and shortened where it is too long to be read in a chat. */
export function bodyLines(text: string, hl: string): readonly Line[] {
  const lines = sanitise(text).trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  return cut(lines).map((line) => lineOf([`    ${shorten(line, maxBodyColumns)}`, hl]));
}

export function cut(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxBodyLines) return lines;
  const left = moreLines(lines.length - maxBodyLines);
  return [...lines.slice(0, maxBodyLines), `${left} · ${wayToTheWhole}`];
}

export function rawText(value: unknown): string {
  return value === undefined || value === null ? '' : readable(value).join('\n');
}

/** A text of a call as it is read. What was read, written or run is shown as it is, also if it is JSON. */
export function callText({ toolKind }: ToolEntry, text: string): string {
  const isData = toolKind === 'other' || toolKind === 'think';
  return isData ? readableText(unfenced(text)) : unfenced(text);
}

/** All that an entry says, if the chat shows only a part of it even when it is opened. */
export function cutText(entry: Entry): string | undefined {
  const text = wholeText(entry);
  return isCut(text) ? text : undefined;
}

function wholeText(entry: Entry): string {
  switch (entry.kind) {
    case 'message':
      return entry.role === 'thought' ? entry.text.toString() : '';
    case 'tool': {
      const texts = entry.content.map((item) => (item.kind === 'text' ? callText(entry, item.text) : ''));
      return texts.join('\n').trim() || rawText(entry.rawOutput ?? entry.rawInput);
    }
    case 'plan':
      return entry.text;
    case 'notice':
      return [entry.title, ...entry.detail].join('\n');
    case 'compaction':
      return entry.summary;
    case 'unknown':
      return JSON.stringify(entry.raw, undefined, 2) ?? '';
    case 'question':
      return '';
  }
}

function isCut(text: string): boolean {
  if (text.length <= maxBodyLines) return false;
  const lines = text.trimEnd().split('\n');
  return lines.length > maxBodyLines || lines.some((line) => line.length > maxBodyColumns);
}
