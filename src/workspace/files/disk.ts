import { constants } from 'node:buffer';
import fs, { type FileHandle } from 'node:fs/promises';
import { AcpError } from '../../base/errors.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import { decode, encode, encodingOf, sliceLines } from './document.ts';
import { codeOf, pathError, withFile } from './held-folder.ts';
import { putBytes } from './replace.ts';

/** A larger file is not read whole for a few of its lines. */
const wholeBytes = 8 * 1024 * 1024;
const chunkBytes = 256 * 1024;
const newline = 10;
const second = 1_000_000_000n;

/** The text of a file at a real path, or some of its lines; undefined when there is no file. */
export async function readText(
  file: string,
  line = 1,
  limit?: number,
  maxBytes: number = constants.MAX_STRING_LENGTH,
): Promise<string | undefined> {
  try {
    return await withFile(file, (handle, facts) => {
      if (facts.size <= wholeBytes) return textIn(handle, line, limit, facts.size);
      return longReads.run(() => longTextIn(handle, facts.size, { line, limit, maxBytes }));
    });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileError(file, error);
  }
}

async function textIn(handle: FileHandle, line: number, limit?: number, size?: number): Promise<string> {
  const bytes =
    (size === undefined ? undefined : await readAtOnce(handle, size)) ?? (await handle.readFile());
  return sliceLines(decode(bytes), line, limit);
}

/** The bytes of a file of this size, in one step instead of three; undefined if it has another size by now. */
async function readAtOnce(handle: FileHandle, size: number): Promise<Buffer | undefined> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(size + 1), 0, size + 1, 0);
  return bytesRead === size ? buffer.subarray(0, size) : undefined;
}

interface Lines {
  readonly line: number;
  readonly limit: number | undefined;
  readonly maxBytes: number;
}

async function longTextIn(handle: FileHandle, size: number, lines: Lines): Promise<string> {
  const { line, limit, maxBytes } = lines;
  const isPart = line > 1 || limit !== undefined;
  if (isPart && !(await isWide(handle))) return decode(await readLines(handle, lines));
  if (size > maxBytes) throw pathError('ERR_STRING_TOO_LONG');
  return textIn(handle, line, limit);
}

/** Long texts are read one at a time to bound the memory they take together. */
const longReads = new SerialQueue();

/** The text of a file, and its time as lua/acp/buffers/file_times.lua writes it. */
export interface DiskText {
  readonly text: string;
  readonly time: string;
}

/** The current text of a file; undefined when there is no file. */
export async function readDisk(file: string): Promise<DiskText | undefined> {
  const time = await timeOf(file);
  const text = await readText(file);
  return text === undefined ? undefined : { text, time };
}

/** The modification time and size of a file; they change with every write. */
export async function timeOf(file: string): Promise<string> {
  const stat = await fs.stat(file, { bigint: true }).catch(() => undefined);
  return stat ? `${stat.mtimeNs / second} ${stat.mtimeNs % second} ${stat.size}` : '';
}

// In UTF-16 the byte of a newline can be half of another character.
async function isWide(handle: FileHandle): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return encodingOf(buffer).startsWith('utf-16');
}

/** The bytes of some lines. The lines around them are not kept in memory. */
async function readLines(
  handle: FileHandle,
  { line, limit = Number.POSITIVE_INFINITY, maxBytes }: Lines,
): Promise<Buffer> {
  const stream = handle.createReadStream({ highWaterMark: chunkBytes, start: 0, autoClose: false });
  const parts: Buffer[] = [];
  let size = 0;
  let before = line - 1;
  let wanted = limit;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const skipped = passLines(chunk, 0, before);
      before -= skipped.lines;
      if (before > 0) continue;
      const taken = passLines(chunk, skipped.at, wanted);
      wanted -= taken.lines;
      parts.push(chunk.subarray(skipped.at, taken.at));
      size += taken.at - skipped.at;
      if (size > maxBytes) throw pathError('ERR_STRING_TOO_LONG');
      if (wanted <= 0) break;
    }
  } finally {
    stream.destroy();
  }
  return Buffer.concat(parts);
}

/** Skips `count` lines, or fewer at the end of the chunk. */
function passLines(chunk: Buffer, from: number, count: number): { at: number; lines: number } {
  let at = from;
  for (let lines = 0; lines < count; lines += 1) {
    const end = Number.isFinite(count) ? chunk.indexOf(newline, at) : -1;
    if (end === -1) return { at: chunk.length, lines };
    at = end + 1;
  }
  return { at, lines: count };
}

/** Replaces the text of a file at a real path, in the encoding of the file. Resolves with the text before. */
export async function writeText(file: string, text: string): Promise<string | undefined> {
  try {
    const before = await withFile(file, (handle) => handle.readFile()).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      return undefined;
    });
    await putBytes(file, encode(text, before), { isShared: true });
    return before && decode(before);
  } catch (error) {
    throw fileError(file, error);
  }
}

export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

const reasons: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder',
  ENOTEMPTY: 'is a folder with files in it',
  EMOVED: 'leads through a symlink that was not there before; it was not touched',
  ESHARED: 'has a second name (a hard link); it was not touched',
  ENOTFILE: 'is not a regular file',
  EACCES: "can't be opened: permission denied",
  EPERM: "can't be opened: permission denied",
  EROFS: 'is on a read-only file system',
  ENOSPC: 'was not written: the disk is full',
  ENAMETOOLONG: 'has a path that is too long',
  EFBIG: 'was not written: the file would be too large',
  EDQUOT: 'was not written: the disk is full',
  ERR_STRING_TOO_LONG: 'is too large to send',
  ERR_FS_FILE_TOO_LARGE: 'is too large to send',
  EEXIST: 'has a parent that is not a folder',
  ENOTDIR: 'has a parent that is not a folder',
  ELOOP: 'is part of a symlink loop',
};

const badPaths = new Set(['EISDIR', 'ENOTEMPTY', 'ENOTFILE', 'ENAMETOOLONG', 'ELOOP']);

/** The error of a file operation, with a message that names the file. */
export function fileError(file: string, error: unknown): AcpError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new AcpError(
    badPaths.has(code) ? 'bad_params' : 'file_error',
    `${file} ${reasons[code] ?? message}`,
    {
      cause: error,
    },
  );
}
