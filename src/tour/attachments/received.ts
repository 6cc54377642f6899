import { isRecord } from '../../base/record.ts';
import { countOf, describeSize, shorten } from '../../base/text.ts';
import { mediaTypeOf } from '../../media/media-type.ts';
import { checkPicture, describePixels } from '../../media/picture.ts';

/** Something that came with a prompt. */
export interface ReceivedAttachment {
  /** Its name, or where it comes from. */
  readonly label: string;
  /** What it is, in one line. */
  readonly description: string;
}

const maxFirstLine = 60;

/** Describes a block of a prompt that is not text. */
export function describeAttachment(block: Readonly<Record<string, unknown>>): ReceivedAttachment {
  const { type, uri, name, size, resource } = block;
  if (type === 'resource_link')
    return describe('link', name ?? uri, [uri, isSize(size) && describeSize(size)]);
  if (type === 'resource' && isRecord(resource)) return describeResource(resource);
  if (type === 'image') return describe('picture', uri ?? 'picture', describeMedia(block));
  if (type === 'audio') return describe('sound', uri ?? 'sound', describeMedia(block));
  return describe(String(type), uri ?? type, []);
}

function describeResource({ uri, text, blob, mimeType }: Readonly<Record<string, unknown>>) {
  if (typeof text === 'string') return describe('text', uri, [mimeType, ...describeText(text)]);
  const bytes = Buffer.from(String(blob), 'base64');
  return describe('file', uri, [mimeType, describeSize(bytes.length)]);
}

function describeText(text: string): readonly unknown[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const first = lines[0]!.trim();
  return [
    describeSize(Buffer.byteLength(text)),
    countOf(lines.length, 'line'),
    first !== '' && `first line: ${code(shorten(first, maxFirstLine))}`,
  ];
}

function describeMedia({ data, mimeType }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const bytes = Buffer.from(String(data), 'base64');
  const media = mediaTypeOf(bytes);
  const size = media?.kind === 'image' ? checkPicture(bytes, media).size : undefined;
  return [mimeType, describeSize(bytes.length), size && `${describePixels(size)} pixels`];
}

function describe(kind: string, label: unknown, details: readonly unknown[]): ReceivedAttachment {
  const shown = details.filter((detail) => typeof detail === 'string' && detail !== label);
  return { label: String(label), description: `${kind} ${[code(String(label)), ...shown].join(', ')}` };
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

function isSize(value: unknown): value is number {
  return typeof value === 'number';
}
