import { constants } from 'node:buffer';
import fs, { type FileHandle } from 'node:fs/promises';
import { AcpError } from '../errors.ts';
import { codeOf, placeError, withFile } from './place.ts';
import { putBytes } from './replace.ts';
import { decode, encode, encodingOf, sliceLines } from './text.ts';

/** A file longer than this is not read whole for a few of its lines. */
const wholeBytes = 8 * 1024 * 1024;
const chunkBytes = 256 * 1024;
const newline = 10;
const second = 1_000_000_000n;

/** The text of a file at a real path, or some of its lines; undefined when there is none. */
export async function readText(file: string, line = 1, limit?: number): Promise<string | undefined> {
  try {
    return await withFile(file, (handle, facts) => {
      if (facts.size <= wholeBytes) return textIn(handle, line, limit);
      return oneAtATime(() => longTextIn(handle, line, limit));
    });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileError(file, error);
  }
}

async function textIn(handle: FileHandle, line: number, limit?: number): Promise<string> {
  return sliceLines(decode(await handle.readFile()), line, limit);
}

async function longTextIn(handle: FileHandle, line: number, limit?: number): Promise<string> {
  const isPart = line > 1 || limit !== undefined;
  if (!isPart || (await isWide(handle))) return textIn(handle, line, limit);
  return decode(await readLines(handle, line, limit));
}

let lastLong: Promise<unknown> = Promise.resolve();

// Several long texts at once would take more memory than anybody has to spare.
function oneAtATime<T>(read: () => Promise<T>): Promise<T> {
  const text = lastLong.then(read);
  lastLong = text.catch(() => undefined);
  return text;
}

/** A text, and when it was written in the words of lua/acp/buffers/times.lua. */
export interface DiskText {
  readonly text: string;
  readonly time: string;
}

/** The text of a file as it is now; undefined when there is none. */
export async function readDisk(file: string): Promise<DiskText | undefined> {
  const time = await timeOf(file);
  const text = await readText(file);
  return text === undefined ? undefined : { text, time };
}

/** When a file was written, and how long it is. */
export async function timeOf(file: string): Promise<string> {
  const stat = await fs.stat(file, { bigint: true }).catch(() => undefined);
  return stat ? `${stat.mtimeNs / second} ${stat.mtimeNs % second} ${stat.size}` : '';
}

// Where a character is two bytes, a byte that looks like a newline need not be one.
async function isWide(handle: FileHandle): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return encodingOf(buffer).startsWith('utf-16');
}

/** The bytes of some lines. What stands before and after them is not kept. */
async function readLines(
  handle: FileHandle,
  line: number,
  limit = Number.POSITIVE_INFINITY,
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
      if (size > constants.MAX_STRING_LENGTH) throw placeError('ERR_STRING_TOO_LONG');
      if (wanted <= 0) break;
    }
  } finally {
    stream.destroy();
  }
  return Buffer.concat(parts);
}

/** Goes on by so many lines, or to the end. */
function passLines(chunk: Buffer, from: number, count: number): { at: number; lines: number } {
  let at = from;
  for (let lines = 0; lines < count; lines += 1) {
    const end = Number.isFinite(count) ? chunk.indexOf(newline, at) : -1;
    if (end === -1) return { at: chunk.length, lines };
    at = end + 1;
  }
  return { at, lines: count };
}

/** Puts a text in the place of a file at a real path, in the encoding that it has. */
export async function writeText(file: string, text: string): Promise<void> {
  try {
    const before = await withFile(file, (handle) => handle.readFile()).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    await putBytes(file, encode(text, before ?? undefined), { isShared: true });
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
  EMOVED: 'leads through a link that was not there before; it was left alone',
  ESHARED: 'has a second name (a hard link); it was left alone',
  ENOTFILE: 'is no ordinary file',
  EACCES: 'may not be opened: permission denied',
  EPERM: 'may not be opened: permission denied',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'was not written: the disk is full',
  ENAMETOOLONG: 'has a name that is too long',
  EFBIG: 'was not written: it would be larger than a file may be',
  EDQUOT: 'was not written: the disk is full',
  ERR_STRING_TOO_LONG: 'has more text than can be told at once',
  ERR_FS_FILE_TOO_LARGE: 'has more text than can be told at once',
  EEXIST: 'is below something that is no folder',
  ENOTDIR: 'is below something that is no folder',
  ELOOP: 'leads in a circle of links',
};

const badPaths = new Set(['EISDIR', 'ENOTEMPTY', 'ENOTFILE', 'ENAMETOOLONG', 'ELOOP']);

/** What is wrong with a file, in a sentence that names it. */
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
