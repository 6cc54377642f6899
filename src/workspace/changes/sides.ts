import fs from 'node:fs/promises';
import { fileError, writeText } from '../disk.ts';
import type { Blobs } from './blobs.ts';
import { none, type Side } from './file-review.ts';
import { linesOf } from './lines.ts';
import { maxBytes, type TreeFile } from './trees.ts';

type FileKind = Exclude<TreeFile['kind'], 'unread'>;

const hugeMark = 'huge ';

/** What is only known to be there; the mark tells two of them apart. */
export function unreadSide(mark: string): Side {
  return { kind: 'binary', blob: `${hugeMark}${mark}`, file: 'file' };
}

export function isHuge(side: Side): boolean {
  return side.kind === 'binary' && side.blob.startsWith(hugeMark);
}

/** A content as it is reviewed: text if it is UTF-8 without NUL, and short enough to be read. */
export async function sideOf(content: Buffer, kind: FileKind, blobs: Blobs): Promise<Side> {
  const text = kind === 'link' || content.length > maxBytes ? undefined : textIn(content);
  if (text === undefined) return { kind: 'binary', blob: await blobs.put(content), file: kind };
  return { kind: 'text', lines: linesOf(text), ...(kind === 'program' && { isProgram: true }) };
}

function textIn(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** What is on disk. A folder, or what may not be read, is nothing that can be reviewed. */
export async function readSide(file: string, blobs: Blobs): Promise<Side> {
  try {
    const stat = await fs.lstat(file);
    if (stat.isSymbolicLink()) return sideOf(Buffer.from(await fs.readlink(file)), 'link', blobs);
    if (!stat.isFile()) return none;
    if (stat.size > maxBytes) return unreadSide(`${stat.size} ${stat.mtimeMs}`);
    return await sideOf(await fs.readFile(file), stat.mode & 0o100 ? 'program' : 'file', blobs);
  } catch {
    return none;
  }
}

export async function writeSide(file: string, side: Side, blobs: Blobs): Promise<void> {
  try {
    if (side.kind === 'none') return await fs.rm(file, { force: true });
    if (side.kind === 'text') {
      await writeText(file, side.lines.join(''));
      return await setMode(file, side);
    }
    const content = await blobs.get(side.blob);
    if (side.file === 'link') {
      await fs.rm(file, { force: true });
      return await fs.symlink(content.toString(), file);
    }
    await fs.writeFile(file, content);
    if (side.file === 'program') await fs.chmod(file, 0o755);
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Makes a text a program, or none. */
export async function setMode(file: string, { isProgram = false }: Side & { kind: 'text' }): Promise<void> {
  const { mode } = await fs.stat(file);
  if (((mode & 0o100) !== 0) === isProgram) return;
  // Who may read it may run it.
  const executable = (mode & 0o444) >> 2;
  await fs.chmod(file, (isProgram ? mode | executable : mode & ~0o111) & 0o777);
}
