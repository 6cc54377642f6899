import { isRecord } from '../../base/record.ts';
import { describeSize } from '../../base/text.ts';
import { type MediaType, mediaTypeOf } from '../../media/media-type.ts';
import { checkPicture } from '../../media/picture.ts';
import type { ToolContent } from '../../model/entries.ts';
import type { Attachment } from '../../model/prompt.ts';
import type { SessionEvent, ToolPatch } from '../../model/session-events.ts';
import { commandLikeNames } from '../../model/tools/tool-arguments.ts';
import type { AttachmentFiles } from './attachment-files.ts';

/** Of one picture, sound or text of an agent, in bytes. */
const maxBytes = 20 * 1024 * 1024;
/** Longer texts that look like base64 are bytes of something. */
const maxRawBase64 = 4 * 1024;
const maxDepth = 20;
const base64Pattern = /^[\w+/-]*={0,2}$/;
const dataUriStart = /^data:[\w.+/-]{0,100}(?:;[\w.+=-]{1,100}){0,5};base64,/;

/**
 * Puts the pictures, sounds and texts that an agent sends into files, and the paths of the files into the events. No
 * event has their bytes any more when it is applied and written to the journal.
 */
export class ReceivedContent {
  private readonly files: Pick<AttachmentFiles, 'keepLater'> | undefined;

  /** Without `files`, the bytes are dropped. */
  constructor(files: Pick<AttachmentFiles, 'keepLater'> | undefined) {
    this.files = files;
  }

  /** The event without bytes. */
  keep(event: SessionEvent): SessionEvent {
    if (event.kind === 'attachment') {
      const attachment = this.keepAttachment(event.attachment);
      return attachment === event.attachment ? event : { ...event, attachment };
    }
    if (event.kind === 'unknown') return { ...event, raw: withoutBase64(event.raw) };
    if (event.kind !== 'tool') return event;
    const patch = this.keepPatch(event.patch);
    return patch === event.patch ? event : { ...event, patch };
  }

  private keepPatch(patch: ToolPatch): ToolPatch {
    const content = patch.content?.some(hasBytes)
      ? patch.content.map((item) => (hasBytes(item) ? this.keepItem(item) : item))
      : patch.content;
    const rawInput = withoutBase64(patch.rawInput);
    const rawOutput = withoutBase64(patch.rawOutput);
    const isSame = content === patch.content && rawInput === patch.rawInput && rawOutput === patch.rawOutput;
    if (isSame) return patch;
    return {
      ...patch,
      ...(content && { content }),
      ...(rawInput !== undefined && { rawInput }),
      ...(rawOutput !== undefined && { rawOutput }),
    };
  }

  private keepItem(item: ToolContent & { readonly kind: 'attachment' }): ToolContent {
    return { ...item, attachment: this.keepAttachment(item.attachment) };
  }

  private keepAttachment(attachment: Attachment): Attachment {
    const { content } = attachment;
    if (!content) return attachment;
    const kept =
      content.kind === 'text'
        ? this.keepText(attachment, content.text)
        : this.keepMedia(attachment, content.base64);
    return { ...attachment, ...kept, content: undefined };
  }

  private keepText({ name }: Attachment, text: string): Partial<Attachment> {
    const bytes = Buffer.from(text);
    if (bytes.length > maxBytes) return tooLarge(name, bytes.length);
    return { size: bytes.length, copy: this.files?.keepLater(`${name}.txt`, bytes) };
  }

  private keepMedia({ name }: Attachment, base64: string): Partial<Attachment> {
    if (base64.length > (maxBytes * 4) / 3 + 4) return tooLarge(name, (base64.length * 3) / 4);
    const bytes = decodeBase64(base64);
    const type = bytes && mediaTypeOf(bytes);
    if (!bytes || !type) return { name: `${name} (not saved: it is no picture or sound that is known here)` };
    const file = `${type.kind === 'image' ? 'picture' : 'sound'}${type.extensions[0]}`;
    return {
      kind: type.kind,
      mimeType: type.mimeType,
      size: bytes.length,
      copy: this.files?.keepLater(file, bytes),
      ...pictureFacts(name, bytes, type),
    };
  }
}

function pictureFacts(name: string, bytes: Buffer, type: MediaType): Partial<Attachment> {
  if (type.kind !== 'image') return {};
  const picture = checkPicture(bytes, type);
  return {
    ...(picture.size && { pixels: picture.size }),
    ...('problem' in picture && { name: `${name} (${picture.problem})` }),
  };
}

function hasBytes(item: ToolContent): item is ToolContent & { readonly kind: 'attachment' } {
  return item.kind === 'attachment' && item.attachment.content !== undefined;
}

function tooLarge(name: string, size: number): Partial<Attachment> {
  return { name: `${name} (not saved: it is larger than ${describeSize(maxBytes)})`, size: Math.floor(size) };
}

function decodeBase64(text: string): Buffer | undefined {
  const compact = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  return compact !== '' && base64Pattern.test(compact) ? Buffer.from(compact, 'base64') : undefined;
}

/** The arguments or the result of a call, where bytes are replaced by a note. The same value if there are none. */
export function withoutBase64(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return isBytes(value) ? `(${describeSize((value.length * 3) / 4)})` : value;
  if (depth > maxDepth || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutBase64(item, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(
    // The user consents to commands, and rules judge them, so they stay whole.
    ([key, item]) => [key, commandLikeNames.includes(key) ? item : withoutBase64(item, depth + 1)] as const,
  );
  return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
}

function isBytes(text: string): boolean {
  if (text.length <= maxRawBase64) return false;
  const start = dataUriStart.exec(text)?.[0].length ?? 0;
  // Most texts differ from base64 in their first line.
  return /^[\w+/-]+$/.test(text.slice(start, start + 200)) && base64Pattern.test(text.slice(start));
}
