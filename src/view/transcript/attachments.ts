import { fileURLToPath } from 'node:url';
import { describeSize, shorten } from '../../base/text.ts';
import type { AttachmentsEntry } from '../../model/entries.ts';
import type { Attachment } from '../../model/prompt.ts';
import { type Line, type LineTarget, makeLine } from '../line.ts';
import { sanitiseLine } from '../sanitise.ts';
import * as signs from '../signs.ts';
import { fitEnd, fitStart } from '../text/display-width.ts';
import type { ViewContext } from './view-context.ts';

/** With more than this, the rest is shown when the entry is open. */
const maxClosed = 5;
const maxName = 300;
const leastName = 8;
/** Programs that show pictures choose by the name how to read a file. */
const pictureName = /\.(png|jpe?g|gif|webp|bmp)$/i;

/** One line for each attachment. `<CR>` on it opens the file, the picture or the text. */
export function attachmentLines(entry: AttachmentsEntry, context: ViewContext): readonly Line[] {
  const { items } = entry;
  const isOpen = context.isOpen(entry.id);
  if (items.length <= maxClosed + 1) return items.map((item) => attachmentLine(item, context.width));
  const shown = isOpen ? items : items.slice(0, maxClosed);
  const label = isOpen
    ? `${signs.opened} ${items.length} attachments`
    : `${signs.closed} ${items.length - maxClosed} more`;
  return [...shown.map((item) => attachmentLine(item, context.width)), makeLine([`  ${label}`, 'AcpMuted'])];
}

/** A line for one attachment, also in the output of a tool call. */
export function attachmentLine(
  attachment: Attachment,
  width = Number.POSITIVE_INFINITY,
  indent = '  ',
): Line {
  const { kind, name, pixels } = attachment;
  const dimensions = pixels ? ` ${pixels.width}×${pixels.height}` : '';
  const sent = describeSent(attachment);
  const room = width - indent.length - 2 - dimensions.length - sent.length - 1;
  const isMedia = kind === 'image' || kind === 'audio';
  const target = attachmentTarget(attachment);
  const path = pixels && target && 'file' in target ? target.file : undefined;
  const sign = isMedia ? signs.picture : signs.attachment;
  return {
    ...makeLine(
      [`${indent}${sign} `, 'AcpMuted'],
      [fitName(shorten(sanitiseLine(name), maxName), Math.max(leastName, room)), 'AcpMention'],
      [dimensions, 'AcpMuted'],
    ),
    ...(sent !== '' && { right: [[sent, 'AcpMuted']] }),
    ...(path !== undefined && pictureName.test(path) && { picture: { path, pixels } }),
    target,
  };
}

function describeSent({ sentAs, size }: Attachment): string {
  if (sentAs !== undefined) return sentAs === 'link' ? 'linked' : 'name only';
  return size === undefined ? '' : describeSize(size);
}

// The end of a path tells most, the beginning of a title.
function fitName(name: string, room: number): string {
  return name.includes('/') ? fitStart(name, room) : fitEnd(name, room);
}

function attachmentTarget({ kind, uri, copy, range }: Attachment): LineTarget | undefined {
  const file = copy ?? (uri.startsWith('file:') ? filePath(uri) : uri.startsWith('/') ? uri : undefined);
  const isMedia = kind === 'image' || kind === 'audio';
  if (file !== undefined) return { file, line: range?.first, isMedia, isOurs: copy !== undefined };
  return kind === 'link' ? { url: uri } : undefined;
}

function filePath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri.replace(/#.*$/, ''));
  } catch {
    return undefined;
  }
}
