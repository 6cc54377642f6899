import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { OrphanGuard } from '../../system/orphan-guard.ts';
import { codeOf, HeldFolder, inFolder, openFile, pathError, withFile } from './held-folder.ts';

const { O_RDWR, W_OK } = fs.constants;

const orphanGuard = new OrphanGuard();
/** Writing a smaller file takes a millisecond or two, and starting the orphan guard takes longer. */
const guardedBytes = 1024 * 1024;

interface Replacement {
  /** A file with hard links is overwritten in place, so that all its names get the new content. */
  readonly isShared?: boolean;
}

/** Replaces the content of a file atomically: a reader gets the old or the new content. */
export async function putBytes(
  file: string,
  bytes: Buffer,
  { isShared = false }: Replacement = {},
): Promise<void> {
  const name = path.basename(file);
  await inFolder(await HeldFolder.make(path.dirname(file)), async (folder) => {
    const before = await clearWay(folder, name);
    if (before) await fs.access(folder.at(name), W_OK);
    if (before && isShared && before.nlink > 1) return overwrite(file, bytes, isShared);
    try {
      await replace(folder, name, bytes, before);
    } catch (error) {
      // The folder is not writable, or a new file could not get the same owner.
      if (!before || !['EACCES', 'EPERM'].includes(codeOf(error))) throw error;
      await overwrite(file, bytes, isShared);
    }
  });
}

/** Separates a file from its other hard links; its content stays. */
export async function separate(file: string): Promise<void> {
  const bytes = await withFile(file, async (handle, { nlink }) =>
    nlink > 1 ? handle.readFile() : undefined,
  );
  if (bytes) await putBytes(file, bytes);
}

/** Replaces whatever is at a path by a symlink. */
export async function putLink(file: string, target: Buffer): Promise<void> {
  const name = path.basename(file);
  await inFolder(await HeldFolder.make(path.dirname(file)), async (folder) => {
    await clearWay(folder, name);
    await throughTemporary({ folder, name }, (temporary) => fs.symlink(target, folder.at(temporary)));
  });
}

/** Removes a file or a symlink. A path through a symlinked folder is left alone. */
export async function removeFile(file: string): Promise<void> {
  try {
    await inFolder(await HeldFolder.hold(path.dirname(file)), (folder) =>
      fs.unlink(folder.at(path.basename(file))),
    );
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EMOVED'].includes(codeOf(error))) throw error;
  }
}

/** The regular file at a path, if there is one. A folder without files is removed; one with files is an error. */
async function clearWay(folder: HeldFolder, name: string): Promise<Stats | undefined> {
  const facts = await fs.lstat(folder.at(name)).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  if (facts?.isDirectory()) await removeEmpty(folder, name);
  return facts?.isFile() ? facts : undefined;
}

async function removeEmpty(parent: HeldFolder, name: string): Promise<void> {
  await inFolder(await HeldFolder.hold(path.join(parent.folder, name)), async (folder) => {
    const entries = await fs.readdir(folder.at('.'), { withFileTypes: true });
    if (!entries.every((entry) => entry.isDirectory())) throw pathError('ENOTEMPTY');
    for (const entry of entries) await removeEmpty(folder, entry.name);
  });
  await fs.rmdir(parent.at(name));
}

function replace(folder: HeldFolder, name: string, bytes: Buffer, before: Stats | undefined): Promise<void> {
  const isLarge = bytes.length >= guardedBytes;
  return throughTemporary({ folder, name, isLarge }, async (temporary) => {
    // The temporary file must not be readable for more users than the file.
    const handle = await folder.create(temporary, before && before.mode & 0o700);
    try {
      await folder.check();
      await handle.writeFile(bytes);
      if (!before) return;
      const { uid, gid, mode } = before;
      const now = await handle.stat();
      if (now.uid !== uid || now.gid !== gid) await handle.chown(uid, gid);
      await handle.chmod(mode & 0o7777);
    } finally {
      await handle.close();
    }
  });
}

interface ReplacedFile {
  readonly folder: HeldFolder;
  readonly name: string;
  readonly isLarge?: boolean;
}

async function throughTemporary(
  { folder, name, isLarge = false }: ReplacedFile,
  make: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `.${name.slice(0, 60)}.acp-${process.pid}-${randomBytes(6).toString('hex')}`;
  const place = path.join(folder.folder, temporary);
  if (isLarge) orphanGuard.addFile(place);
  try {
    await make(temporary);
    await folder.check();
    await fs.rename(folder.at(temporary), folder.at(name));
  } catch (error) {
    await fs.rm(folder.at(temporary), { force: true });
    throw error;
  } finally {
    if (isLarge) orphanGuard.removeFile(place);
  }
}

/**
 * Overwrites a file in place, so that all its hard links get the new content. On failure the old content is restored.
 */
async function overwrite(file: string, bytes: Buffer, isShared: boolean): Promise<void> {
  const before = await withFile(file, (handle) => handle.readFile());
  try {
    await fill(file, bytes, isShared);
  } catch (error) {
    await fill(file, before, isShared);
    throw error;
  }
}

async function fill(file: string, bytes: Buffer, isShared: boolean): Promise<void> {
  const { handle, facts } = await openFile(file, O_RDWR);
  try {
    if (facts.nlink > 1 && !isShared) throw pathError('ESHARED');
    await handle.writeFile(bytes);
    await handle.truncate(bytes.length);
  } finally {
    await handle.close();
  }
}
