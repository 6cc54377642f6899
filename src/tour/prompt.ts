import { isRecord } from '../base/record.ts';
import { shorten } from '../base/text.ts';
import { describeAttachment, type ReceivedAttachment } from './attachments/received.ts';

/** A prompt split into its command (the first word), the rest of the text, and the attachments. */
export interface TourPrompt {
  readonly text: string;
  readonly command: string;
  readonly rest: string;
  readonly attachments: readonly ReceivedAttachment[];
}

const titleWidth = 60;

export function readPrompt(blocks: readonly unknown[]): TourPrompt {
  const records = blocks.filter(isRecord);
  const text = records
    .map(({ type, text }) => (type === 'text' ? String(text) : ''))
    .join('')
    .trim();
  const [, first = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  return {
    text,
    command: first
      .toLowerCase()
      .replace(/^\//, '')
      .replace(/[.,:!?]+$/, ''),
    rest,
    attachments: records.filter(({ type }) => type !== 'text').map(describeAttachment),
  };
}

/** The number after a command such as `long`, or the default. */
export function readCount(rest: string, defaultCount: number): number {
  const count = Number.parseInt(rest, 10);
  return count >= 0 ? count : defaultCount;
}

export function titleFromPrompt(prompt: TourPrompt): string {
  const [line = ''] = prompt.text.replace(/^\//, '').split('\n');
  const title = shorten(line.trim(), titleWidth);
  return title === '' ? 'Empty prompt' : title.charAt(0).toUpperCase() + title.slice(1);
}
