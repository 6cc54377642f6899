import path from 'node:path';
import { isRecord, type JsonObject } from '../../base/record.ts';
import type { Attachment, AttachmentContent, LineRange } from '../../model/prompt.ts';
import { asRecord, asString } from './fields.ts';

/** The text of a content block, or a label in brackets if it has no text. */
export function contentText(block: unknown): string {
  if (typeof block === 'string') return block;
  if (!isRecord(block)) return '';
  if (typeof block.text === 'string') return block.text;
  const label = contentLabel(block);
  return label === '' ? '' : `[${label}]`;
}

/** A label for a content block without text. */
export function contentLabel(block: JsonObject): string {
  switch (block.type) {
    case 'image':
    case 'audio':
      return [block.type, asString(block.mimeType), asString(block.uri)].filter(Boolean).join(' ');
    case 'resource_link':
      return asString(block.title) ?? asString(block.uri) ?? 'resource';
    case 'resource':
      return (isRecord(block.resource) ? asString(block.resource.uri) : undefined) ?? 'resource';
    default:
      return asString(block.type) ?? '';
  }
}

const dataUri = /^data:[^,]*;base64,(.*)$/s;
const lineFragment = /#L(\d+)(?:[-:]L?(\d+))?$/;

/** A content block that is not text: a picture, a sound, a resource or a link. Undefined for other blocks. */
export function decodeAttachment(block: unknown): Attachment | undefined {
  if (!isRecord(block)) return undefined;
  switch (block.type) {
    case 'image':
    case 'audio':
      return decodeMedia(block.type, block);
    case 'resource_link':
      return decodeResource(block, asString(block.name));
    case 'resource':
      return decodeResource(asRecord(block.resource), undefined);
    default:
      return undefined;
  }
}

function decodeMedia(kind: 'image' | 'audio', block: Readonly<Record<string, unknown>>): Attachment {
  const source = asString(block.uri) ?? '';
  const embedded = dataUri.exec(source)?.[1];
  const uri = source.startsWith('data:') ? '' : source;
  const base64 = asString(block.data) ?? embedded;
  const content: AttachmentContent | undefined = base64 === undefined ? undefined : { kind: 'bytes', base64 };
  const name = uri === '' ? (kind === 'image' ? 'picture' : 'sound') : nameOf(uri);
  return { kind, start: 0, end: 0, uri, name, mimeType: asString(block.mimeType), content };
}

function decodeResource(
  resource: Readonly<Record<string, unknown>>,
  name: string | undefined,
): Attachment | undefined {
  const uri = asString(resource.uri);
  if (uri === undefined) return undefined;
  const isFile = uri.startsWith('file:') || uri.startsWith('/');
  const size = typeof resource.size === 'number' ? resource.size : undefined;
  const text = asString(resource.text);
  const blob = asString(resource.blob);
  return {
    kind: isFile ? 'file' : text === undefined ? 'link' : 'text',
    start: 0,
    end: 0,
    uri,
    name: name ?? nameOf(uri),
    mimeType: asString(resource.mimeType),
    size,
    range: rangeIn(uri),
    // The text of a file is in the file.
    ...(text !== undefined && !isFile && { content: { kind: 'text', text } }),
    ...(blob !== undefined && { content: { kind: 'bytes', base64: blob } }),
  };
}

function nameOf(uri: string): string {
  const range = rangeIn(uri);
  const [place = ''] = uri.split('#');
  const base = path.posix.basename(decoded(place)) || uri;
  return range ? `${base}:${range.first}-${range.last}` : base;
}

function rangeIn(uri: string): LineRange | undefined {
  const [, first, last = first] = lineFragment.exec(uri) ?? [];
  return first === undefined ? undefined : { first: Number(first), last: Number(last) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
