import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { AcpError } from '../errors.ts';
import { decode, sliceLines } from './text.ts';

/** A file longer than this is not read whole for a few of its lines. */
const wholeBytes = 8 * 1024 * 1024;

let temporaries = 0;

/** The text of a file, or some of its lines; undefined when there is none. */
export async function readText(file: string, line = 1, limit?: number): Promise<string | undefined> {
  try {
    const { size } = await fs.stat(file);
    if (size > wholeBytes && (line > 1 || limit !== undefined)) return await readLines(file, line, limit);
    return sliceLines(decode(await fs.readFile(file)), line, limit);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileError(file, error);
  }
}

async function readLines(file: string, line: number, limit = Number.POSITIVE_INFINITY): Promise<string> {
  const stream = createReadStream(file, 'utf8');
  const lines: string[] = [];
  let row = 0;
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: 0 })) {
      row += 1;
      if (row >= line && lines.length < limit) lines.push(text);
      if (lines.length >= limit) break;
    }
  } finally {
    stream.destroy();
  }
  return lines.map((text) => `${text}\n`).join('');
}

/** Puts a text in the place of a file at once: whoever reads it meanwhile reads the old or the new. */
export async function writeText(file: string, text: string): Promise<void> {
  try {
    await fs.mkdir(path.dirname(file), { recursive: true });
    const before = await fs.stat(file).catch(() => undefined);
    if (before?.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
    if (before) await fs.access(file, fs.constants.W_OK);
    // A file with several names, or one of somebody else, would not be the same file after a rename.
    const isOrdinary = !before || (before.nlink === 1 && before.uid === process.getuid?.());
    if (isOrdinary) await replace(file, text, before?.mode);
    else await fs.writeFile(file, text);
  } catch (error) {
    throw fileError(file, error);
  }
}

async function replace(file: string, text: string, mode: number | undefined): Promise<void> {
  temporaries += 1;
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file).slice(0, 100)}.acp-${process.pid}-${temporaries}`,
  );
  try {
    await fs.writeFile(temporary, text, { flag: 'wx' });
    if (mode !== undefined) await fs.chmod(temporary, mode);
    await fs.rename(temporary, file);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

const reasons: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder',
  EACCES: 'may not be opened: permission denied',
  EPERM: 'may not be opened: permission denied',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'was not written: the disk is full',
  ENAMETOOLONG: 'has a name that is too long',
  ELOOP: 'leads in a circle of links',
};

/** What is wrong with a file, in a sentence that names it. */
export function fileError(file: string, error: unknown): AcpError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isBadPath = code === 'EISDIR' || code === 'ENAMETOOLONG' || code === 'ELOOP';
  return new AcpError(isBadPath ? 'bad_params' : 'file_error', `${file} ${reasons[code] ?? message}`, {
    cause: error,
  });
}
