import { type FileContent, splitLines } from '../files/file-content.ts';
import type { BlobStore } from './blob-store.ts';
import { maxFileBytes, type SnapshotFile } from './snapshot-store.ts';

type FileKind = Exclude<SnapshotFile['kind'], 'unread'>;

const unreadPrefix = 'huge ';

/** The content of a file that exists but is not read; `mark` changes when the file changes. */
export function unreadContent(mark: string): FileContent {
  return { kind: 'binary', blob: `${unreadPrefix}${mark}`, file: 'file' };
}

export function isUnread(content: FileContent): boolean {
  return content.kind === 'binary' && content.blob.startsWith(unreadPrefix);
}

/** Bytes as content for the review: text if they are UTF-8 without NUL and not too long, otherwise a stored blob. */
export async function contentOf(bytes: Buffer, kind: FileKind, blobs: BlobStore): Promise<FileContent> {
  const text = kind === 'link' || bytes.length > maxFileBytes ? undefined : decodeText(bytes);
  if (text === undefined) return { kind: 'binary', blob: await blobs.put(bytes), file: kind };
  return { kind: 'text', lines: splitLines(text), ...(kind === 'program' && { isProgram: true }) };
}

function decodeText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
