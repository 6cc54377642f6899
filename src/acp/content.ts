import { isRecord } from '../base.ts';
import { textOf } from './wire.ts';

type Wire = Record<string, unknown>;

/** The text of a content block; what is no text is named, so that the reader knows something is there. */
export function contentText(block: unknown): string {
  if (typeof block === 'string') return block;
  if (!isRecord(block)) return '';
  if (typeof block.text === 'string') return block.text;
  const label = contentLabel(block);
  return label === '' ? '' : `[${label}]`;
}

/** What a block is that has no text of its own. */
export function contentLabel(block: Wire): string {
  switch (block.type) {
    case 'image':
    case 'audio':
      return [block.type, textOf(block.mimeType), textOf(block.uri)].filter(Boolean).join(' ');
    case 'resource_link':
      return textOf(block.title) ?? textOf(block.uri) ?? 'resource';
    case 'resource':
      return (isRecord(block.resource) ? textOf(block.resource.uri) : undefined) ?? 'resource';
    default:
      return textOf(block.type) ?? '';
  }
}
