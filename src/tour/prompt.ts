import { isRecord, shorten } from '../base.ts';

/** A prompt as the tour understands it: a word that names a scene, the rest of the text, and what was sent along. */
export interface Prompt {
  readonly text: string;
  readonly word: string;
  readonly rest: string;
  readonly attachments: readonly string[];
}

const titleWidth = 60;

export function promptFrom(blocks: readonly unknown[]): Prompt {
  const records = blocks.filter(isRecord);
  const text = records
    .map(({ type, text }) => (type === 'text' ? String(text) : ''))
    .join('')
    .trim();
  const [, first = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  return {
    text,
    word: first
      .toLowerCase()
      .replace(/^\//, '')
      .replace(/[.,:!?]+$/, ''),
    rest,
    attachments: records.filter(({ type }) => type !== 'text').map(attachmentFrom),
  };
}

/** The number a word such as `long` is followed by, or the usual one. */
export function countFrom(rest: string, usual: number): number {
  const count = Number.parseInt(rest, 10);
  return count >= 0 ? count : usual;
}

export function titleFrom(prompt: Prompt): string {
  const [line = ''] = prompt.text.replace(/^\//, '').split('\n');
  const title = shorten(line.trim(), titleWidth);
  return title === '' ? 'A prompt without words' : title.charAt(0).toUpperCase() + title.slice(1);
}

function attachmentFrom(block: Record<string, unknown>): string {
  const { type, uri, mimeType, resource } = block;
  if (!isRecord(resource)) return String(uri ?? mimeType ?? type);
  const lines = typeof resource.text === 'string' ? `, ${resource.text.split('\n').length} lines` : '';
  return `${String(resource.uri)}${lines}`;
}
