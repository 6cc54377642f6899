import { constants } from 'node:buffer';
import { createReadStream, type Stats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../errors.ts';
import { decode, encode, encodingOf, sliceLines } from './text.ts';

/** A file longer than this is not read whole for a few of its lines. */
const wholeBytes = 8 * 1024 * 1024;
const chunkBytes = 256 * 1024;
const newline = 10;
const second = 1_000_000_000n;

let temporaries = 0;

/** The text of a file, or some of its lines; undefined when there is none. */
export async function readText(file: string, line = 1, limit?: number): Promise<string | undefined> {
  try {
    const facts = await fs.stat(file);
    refuseOddities(facts);
    const isPart = line > 1 || limit !== undefined;
    if (isPart && facts.size > wholeBytes && !(await isWide(file))) {
      return decode(await readLines(file, line, limit));
    }
    return sliceLines(decode(await fs.readFile(file)), line, limit);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileError(file, error);
  }
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
async function isWide(file: string): Promise<boolean> {
  const handle = await fs.open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return encodingOf(buffer).startsWith('utf-16');
  } finally {
    await handle.close();
  }
}

/** The bytes of some lines. What stands before and after them is not kept. */
async function readLines(file: string, line: number, limit = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const stream = createReadStream(file, { highWaterMark: chunkBytes });
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
      if (size > constants.MAX_STRING_LENGTH) throw odd('ERR_STRING_TOO_LONG');
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

// A pipe or a device may have no end, and is no file to anybody who edits.
function refuseOddities(facts: Stats): void {
  if (facts.isDirectory()) throw odd('EISDIR');
  if (!facts.isFile()) throw odd('ENOTFILE');
}

function odd(code: string): Error {
  return Object.assign(new Error(reasons[code]), { code });
}

/** Puts a text in the place of a file at once: whoever reads it meanwhile reads the old or the new. */
export async function writeText(file: string, text: string): Promise<void> {
  try {
    await fs.mkdir(path.dirname(file), { recursive: true });
    const before = await fs.stat(file).catch(() => undefined);
    if (before) refuseOddities(before);
    if (before) await fs.access(file, fs.constants.W_OK);
    const bytes = encode(text, before && (await fs.readFile(file)));
    if (before && before.nlink > 1) await overwrite(file, bytes);
    else await replace(file, bytes, before);
  } catch (error) {
    throw fileError(file, error);
  }
}

async function replace(file: string, bytes: Buffer, before: Stats | undefined): Promise<void> {
  temporaries += 1;
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file).slice(0, 60)}.acp-${process.pid}-${temporaries}`,
  );
  try {
    // Nobody may read in it meanwhile what they may not read in the file.
    await fs.writeFile(temporary, bytes, { flag: 'wx', ...(before && { mode: before.mode & 0o700 }) });
    if (before) await resemble(temporary, before);
    await fs.rename(temporary, file);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    const isRefused = ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!before || !isRefused) throw error;
    // The folder takes no new file, or a new one would be somebody else's.
    await overwrite(file, bytes);
  }
}

async function resemble(file: string, { uid, gid, mode }: Stats): Promise<void> {
  const now = await fs.stat(file);
  if (now.uid !== uid || now.gid !== gid) await fs.chown(file, uid, gid);
  await fs.chmod(file, mode);
}

/** Changes a file in its place, so that all its names lead to the new text; when that fails, to the old one again. */
async function overwrite(file: string, bytes: Buffer): Promise<void> {
  const before = await fs.readFile(file);
  try {
    await fs.writeFile(file, bytes);
  } catch (error) {
    await fs.writeFile(file, before);
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

const reasons: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder',
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

/** What is wrong with a file, in a sentence that names it. */
export function fileError(file: string, error: unknown): AcpError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isBadPath = code === 'EISDIR' || code === 'ENOTFILE' || code === 'ENAMETOOLONG' || code === 'ELOOP';
  return new AcpError(isBadPath ? 'bad_params' : 'file_error', `${file} ${reasons[code] ?? message}`, {
    cause: error,
  });
}
