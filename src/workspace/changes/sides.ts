import fs from 'node:fs/promises';
import path from 'node:path';
import { fileError } from '../disk.ts';
import { HeldFolder, inFolder, withFile } from '../place.ts';
import { putBytes, putLink, removePlace } from '../replace.ts';
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

/** What is on disk. A folder, what may not be read, or what is only there behind a link can't be reviewed. */
export async function readSide(file: string, blobs: Blobs): Promise<Side> {
  try {
    return await inFolder(await HeldFolder.hold(path.dirname(file)), async (folder) => {
      const target = await linkTarget(folder.at(path.basename(file)));
      if (target) return sideOf(target, 'link', blobs);
      return withFile(file, async (handle, { size, mtimeMs, mode }) => {
        if (size > maxBytes) return unreadSide(`${size} ${mtimeMs}`);
        return sideOf(await handle.readFile(), mode & 0o100 ? 'program' : 'file', blobs);
      });
    });
  } catch {
    return none;
  }
}

function linkTarget(place: string): Promise<Buffer | undefined> {
  return fs.readlink(place, { encoding: 'buffer' }).catch(() => undefined);
}

/** Makes a place what it was. What a link there leads to, or another name of the file, is left alone. */
export async function writeSide(file: string, side: Side, blobs: Blobs): Promise<void> {
  try {
    if (side.kind === 'none') return await removePlace(file);
    if (side.kind === 'text') await putBytes(file, Buffer.from(side.lines.join('')));
    else if (side.file === 'link') return await putLink(file, await blobs.get(side.blob));
    else await putBytes(file, await blobs.get(side.blob));
    await setMode(file, isProgram(side));
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Makes a file a program, or none. */
export async function setMode(file: string, isProgram: boolean): Promise<void> {
  await withFile(file, async (handle, { mode }) => {
    if (((mode & 0o100) !== 0) === isProgram) return;
    // Who may read it may run it.
    const executable = (mode & 0o444) >> 2;
    await handle.chmod((isProgram ? mode | executable : mode & ~0o111) & 0o777);
  });
}

function isProgram(side: Exclude<Side, { kind: 'none' }>): boolean {
  return side.kind === 'text' ? side.isProgram === true : side.file === 'program';
}
