import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY, O_NONBLOCK = 0 } = fs.constants;
const usualBytes = 1024 * 1024;

interface ReadingLimits {
  readonly maxBytes?: number;
  /** Refuse bytes that are not UTF-8, and NUL, which a crash of the system leaves in files. */
  readonly isText?: true;
}

/** A file that is open, and its size. */
interface OpenFile {
  readonly fd: number;
  readonly size: number;
}

/** Opens a file for reading. Throws if it is a pipe, which would block, a device, which has no end, or a folder. */
export function openRegularFile(file: string): OpenFile {
  const fd = fs.openSync(file, O_RDONLY | O_NONBLOCK);
  try {
    return { fd, size: sizeOfRegular(fs.fstatSync(fd)) };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** Opens a file to append to it. A new one can be read by the user alone. Throws if it is a pipe that nobody reads. */
export function openForAppending(file: string): number {
  return fs.openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK, 0o600);
}

/** Appends to a file without waiting for a reader of a pipe. */
export function appendToFile(file: string, text: string): void {
  const fd = openForAppending(file);
  try {
    fs.appendFileSync(fd, text);
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads a small file at once. Throws if it is no regular file or too large. */
export function readRegularFile(file: string, { maxBytes = usualBytes, isText }: ReadingLimits = {}): string {
  const bytes = readRegularBytes(file, maxBytes);
  if (isText && (!isUtf8(bytes) || bytes.includes(0))) throw new Error('it is not a text in UTF-8');
  return bytes.toString();
}

export function readRegularBytes(file: string, maxBytes: number): Buffer {
  const { fd, size } = openRegularFile(file);
  try {
    checkSize(size, maxBytes);
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads a file. Rejects if it is no regular file or too large. */
export async function loadRegularFile(file: string, maxBytes = usualBytes): Promise<Buffer> {
  const handle = await fs.promises.open(file, O_RDONLY | O_NONBLOCK);
  try {
    checkSize(sizeOfRegular(await handle.stat()), maxBytes);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function sizeOfRegular(facts: fs.Stats): number {
  if (!facts.isFile()) throw new Error('it is not a regular file');
  return facts.size;
}

function checkSize(size: number, maxBytes: number): void {
  if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
}
