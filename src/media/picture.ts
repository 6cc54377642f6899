import { imageSize } from 'image-size';
import type { PictureSize } from '../model/prompt.ts';
import type { MediaType } from './media-type.ts';

/** The size of a picture other than a JPEG is in its beginning. */
const headerBytes = 1024;
/** A small file may claim to be huge, and whoever decodes it runs out of memory. */
const maxPixels = 64_000_000;

export type PictureCheck =
  | { readonly size: PictureSize }
  /** Why it must not be sent to an agent. */
  | { readonly problem: string; readonly size?: PictureSize };

/** Reads the size of a picture, and whether it is one that can be sent. */
export function checkPicture(bytes: Buffer, { mimeType }: MediaType): PictureCheck {
  const size = mimeType === 'image/jpeg' ? jpegSize(bytes) : readSize(bytes);
  if (!size || isCut(bytes, mimeType)) return { problem: 'the picture is damaged or incomplete' };
  if (size.width * size.height <= maxPixels) return { size };
  return { problem: `${describePixels(size)} pixels are too many`, size };
}

export function describePixels({ width, height }: PictureSize): string {
  return `${width}×${height}`;
}

function readSize(bytes: Buffer): PictureSize | undefined {
  try {
    const { width, height } = imageSize(bytes.subarray(0, headerBytes));
    return isLength(width) && isLength(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

// image-size searches damaged JPEG files byte by byte, which takes seconds.
function jpegSize(bytes: Buffer): PictureSize | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!;
    if (isFrame(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return isLength(width) && isLength(height) ? { width, height } : undefined;
    }
    at += marker === 0xff ? 1 : 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

// The markers between them define tables.
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function isLength(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

// Models refuse the whole prompt if a picture ends too early.
function isCut(bytes: Buffer, mimeType: string): boolean {
  if (mimeType === 'image/png') return bytes.lastIndexOf('IEND') === -1;
  if (mimeType === 'image/webp') return bytes.readUInt32LE(4) + 8 > bytes.length;
  if (mimeType === 'image/jpeg') return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) === -1;
  return mimeType === 'image/gif' && bytes.lastIndexOf(0x3b) === -1;
}
