import { createPatch } from 'diff';
import { countOf } from '../../base/text.ts';
import type { Diff, TerminalState, ToolEntry } from '../../model/entries.ts';
import { fenced, inlineCode } from '../code-fence.ts';
import { sanitise, sanitiseLine } from '../sanitise.ts';
import { ansiLines } from '../text/ansi.ts';
import { callText, readableRaw } from '../transcript/body.ts';
import { namesCommand, terminalsOf } from '../transcript/tools/terminal.ts';
import { lineMarkdown } from './message-text.ts';

/** Comparing longer texts would keep the host busy. */
const maxDiffLength = 200_000;

export function toolLine({ toolKind, title, status }: ToolEntry): string {
  return `${toolKind}: ${sanitiseLine(title)} (${status})`;
}

/** A tool call as a part that is closed at first, with its output and its changes. */
export function toolDetails(entry: ToolEntry, terminals: ReadonlyMap<string, TerminalState>): string {
  const blocks = [...entry.diffs.map(diffBlock), ...outputsOf(entry, terminals).map((text) => fenced(text))];
  if (blocks.length === 0) return `- ${lineMarkdown(toolLine(entry))}`;
  const summary = `<summary>${escapeHtml(toolLine(entry))}</summary>`;
  return ['<details>', summary, '', blocks.join('\n\n'), '', '</details>'].join('\n');
}

function outputsOf(entry: ToolEntry, terminals: ReadonlyMap<string, TerminalState>): readonly string[] {
  const shown = terminalsOf(entry, terminals).map(({ command, text }) => {
    const heading = namesCommand(entry.title, command) ? '' : `$ ${command}\n`;
    return heading + plainText(text);
  });
  const texts = entry.content.flatMap((item) => (item.kind === 'text' ? [callText(entry, item.text)] : []));
  const outputs = (shown.length > 0 ? shown : texts).map(clean).filter(Boolean);
  if (outputs.length > 0 || entry.diffs.length > 0) return outputs;
  return [clean(readableRaw(entry.rawOutput))].filter(Boolean);
}

function diffBlock({ path, oldText = '', newText, omitted }: Diff): string {
  const name = sanitiseLine(path);
  if (oldText.length + newText.length > maxDiffLength)
    return `Changed ${inlineCode(name)} (too long to show)`;
  const [, , ...lines] = createPatch(name, sanitise(oldText), sanitise(newText)).split('\n');
  const dropped = omitted ? omitted.added + omitted.removed : 0;
  const note = dropped > 0 ? [`… ${countOf(dropped, 'more changed line')}`] : [];
  return fenced([lines.join('\n').trimEnd(), ...note].join('\n'), 'diff');
}

function plainText(text: string): string {
  return ansiLines(text, '')
    .map((line) => line.text)
    .join('\n');
}

function clean(text: string): string {
  return sanitise(text).trim();
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
