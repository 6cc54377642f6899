import type { Entry } from '../../model/entries.ts';
import type { SessionState } from '../../model/session.ts';
import { lineMarkdown, messageMarkdown } from './message-text.ts';
import { toolDetails, toolLine } from './tool-details.ts';

/** Whether tool calls are lines, or also have their output and changes in a part that readers can open. */
export type ToolStyle = 'lines' | 'details';

/** The transcript as Markdown. `details`: those of calls that are not in memory, by the id of their entry. */
export function transcriptMarkdown(
  state: SessionState,
  style: ToolStyle = 'lines',
  details: ReadonlyMap<number, string> = new Map(),
): string {
  const parts: string[] = [];
  let speaker = '';
  for (const entry of state.entries) {
    const who = speakerOf(entry, state.agent.title);
    if (who !== undefined && who !== speaker) parts.push(`## ${who}`);
    speaker = who ?? speaker;
    const text =
      style === 'details' && entry.kind === 'tool'
        ? (details.get(entry.id) ?? toolDetails(entry, state.terminals))
        : entryMarkdown(entry);
    if (text !== '') parts.push(text);
  }
  return `${parts.join('\n\n')}\n`;
}

function speakerOf(entry: Entry, agent: string): string | undefined {
  if (entry.kind === 'message' || entry.kind === 'attachments') {
    return entry.role === 'user' ? 'You' : lineMarkdown(agent);
  }
  return entry.kind === 'tool' || entry.kind === 'plan' ? lineMarkdown(agent) : undefined;
}

function entryMarkdown(entry: Entry): string {
  switch (entry.kind) {
    case 'message': {
      const text = entry.text.toString();
      return entry.role === 'thought' ? quoted(messageMarkdown(text)) : messageMarkdown(text);
    }
    case 'attachments':
      return entry.items.map(({ name }) => `- ${lineMarkdown(name)}`).join('\n');
    case 'tool':
      return `- ${lineMarkdown(toolLine(entry))}`;
    case 'plan': {
      const items = entry.items.map(
        ({ text, status }) => `- [${status === 'done' ? 'x' : ' '}] ${lineMarkdown(text)}`,
      );
      return [messageMarkdown(entry.text), ...items].filter((line) => line !== '').join('\n');
    }
    case 'notice':
      return quoted(messageMarkdown([entry.title, ...entry.detail].join('\n')));
    case 'question':
      return entry.tool
        ? `- asked: ${lineMarkdown(entry.tool.title)} (${lineMarkdown(entry.answer ?? 'open')})`
        : '';
    case 'compaction':
      return quoted(messageMarkdown(entry.summary));
    case 'summary':
    case 'unknown':
      return '';
  }
}

function quoted(text: string): string {
  return text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => `> ${line}`.trimEnd())
        .join('\n');
}
