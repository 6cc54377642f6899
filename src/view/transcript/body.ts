import { shorten } from '../../base/text.ts';
import type { Entry, ToolEntry } from '../../model/entries.ts';
import { unfenced } from '../code-fence.ts';
import { moreLines } from '../format.ts';
import { type Line, type LineTarget, makeLine } from '../line.ts';
import { readable, readableText } from '../readable.ts';
import { sanitise } from '../sanitise.ts';

export const maxBodyLines = 400;
export const maxBodyColumns = 2_000;

export const showAllHint = '<CR> shows all';

/** Indented text below a heading, with a limit of lines and columns. */
export function bodyLines(text: string, hl: string): readonly Line[] {
  const lines = sanitise(text).trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  return limitLines(lines).map((line) => makeLine([`    ${shorten(line, maxBodyColumns)}`, hl]));
}

export function limitLines(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxBodyLines) return lines;
  const left = moreLines(lines.length - maxBodyLines);
  return [...lines.slice(0, maxBodyLines), `${left} · ${showAllHint}`];
}

export function readableRaw(value: unknown): string {
  return value === undefined || value === null ? '' : readable(value).join('\n');
}

/** The text of a call. JSON is formatted, but not if it is the content of a file or the output of a command. */
export function callText({ toolKind }: ToolEntry, text: string): string {
  const isData = toolKind === 'other' || toolKind === 'think';
  return isData ? readableText(unfenced(taskResult(text))) : unfenced(text);
}

/** What a subagent has answered, without the tags that are meant for the model. */
function taskResult(text: string): string {
  const [, result] =
    /^\s*<task\b[^>\n]*>\s*<task_result>\n?([\s\S]*?)\n?<\/task_result>\s*<\/task>\s*$/.exec(text) ?? [];
  return result ?? text;
}

/** The whole text of an entry, if the chat shows only a part of it even when it is open. */
export function hiddenText(entry: Entry): string | undefined {
  const text = wholeText(entry);
  return isTooLong(text) ? text : undefined;
}

function wholeText(entry: Entry): string {
  switch (entry.kind) {
    case 'message':
      return entry.role === 'thought' ? entry.text.toString() : '';
    case 'tool': {
      const texts = entry.content.map((item) => (item.kind === 'text' ? callText(entry, item.text) : ''));
      return texts.join('\n').trim() || readableRaw(entry.rawOutput ?? entry.rawInput);
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
    case 'summary':
    case 'attachments':
      return '';
  }
}

/** Whether the chat shows only a part of a text. */
export function isTooLong(text: string): boolean {
  if (text.length <= maxBodyLines) return false;
  const lines = text.trimEnd().split('\n');
  return lines.length > maxBodyLines || lines.some((line) => line.length > maxBodyColumns);
}

const hoverLimit = { lines: 60, columns: 500 };

/** The text of an entry that the transcript shortens or hides, up to a limit, or the target of a line. */
export function hoverText(entry: Entry, target: LineTarget | undefined): string | undefined {
  if (entry.kind === 'attachments') return target && targetText(target);
  const isPrompt = entry.kind === 'message' && entry.role === 'user';
  const title = entry.kind === 'tool' ? entry.title : isPrompt ? entry.text.toString() : '';
  const lines = sanitise([title, wholeText(entry)].filter(Boolean).join('\n\n'))
    .trimEnd()
    .split('\n');
  const shown = lines.slice(0, hoverLimit.lines).map((line) => shorten(line, hoverLimit.columns));
  if (lines.length > shown.length) shown.push(moreLines(lines.length - shown.length));
  return shown.join('\n').trim() || undefined;
}

function targetText(target: LineTarget): string | undefined {
  if ('url' in target) return sanitise(target.url);
  return 'path' in target ? sanitise(target.path) : undefined;
}
