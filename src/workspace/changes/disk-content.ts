import fs from 'node:fs/promises';
import path from 'node:path';
import { fileError } from '../files/disk.ts';
import { type FileContent, noFile } from '../files/file-content.ts';
import { HeldFolder, inFolder, withFile } from '../files/held-folder.ts';
import { putBytes, putLink, removeFile } from '../files/replace.ts';
import type { BlobStore } from '../snapshots/blob-store.ts';
import { maxFileBytes } from '../snapshots/snapshot-store.ts';
import { contentOf, unreadContent } from '../snapshots/stored-content.ts';

/** The content of a file. A folder, an unreadable file, or a path through a symlinked folder counts as no file. */
export async function readContent(file: string, blobs: BlobStore): Promise<FileContent> {
  try {
    return await inFolder(await HeldFolder.hold(path.dirname(file)), async (folder) => {
      const target = await linkTarget(folder.at(path.basename(file)));
      if (target) return contentOf(target, 'link', blobs);
      return withFile(file, async (handle, { size, mtimeMs, mode }) => {
        if (size > maxFileBytes) return unreadContent(`${size} ${mtimeMs}`);
        return contentOf(await handle.readFile(), mode & 0o100 ? 'program' : 'file', blobs);
      });
    });
  } catch {
    return noFile;
  }
}

function linkTarget(place: string): Promise<Buffer | undefined> {
  return fs.readlink(place, { encoding: 'buffer' }).catch(() => undefined);
}

/** Writes a content to a path. The target of a symlink there, and other hard links of the file, are left alone. */
export async function writeContent(file: string, content: FileContent, blobs: BlobStore): Promise<void> {
  try {
    if (content.kind === 'none') return await removeFile(file);
    if (content.kind === 'text') await putBytes(file, Buffer.from(content.lines.join('')));
    else if (content.file === 'link') return await putLink(file, await blobs.get(content.blob));
    else await putBytes(file, await blobs.get(content.blob));
    await setExecutable(file, isProgram(content));
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Sets or clears the executable bits. */
export async function setExecutable(file: string, isProgram: boolean): Promise<void> {
  await withFile(file, async (handle, { mode }) => {
    if (((mode & 0o100) !== 0) === isProgram) return;
    // Grant execute wherever read is granted.
    const executable = (mode & 0o444) >> 2;
    await handle.chmod((isProgram ? mode | executable : mode & ~0o111) & 0o777);
  });
}

function isProgram(content: Exclude<FileContent, { kind: 'none' }>): boolean {
  return content.kind === 'text' ? content.isProgram === true : content.file === 'program';
}
