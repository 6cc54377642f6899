import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { codeOf, HeldFolder, inFolder, openFile, placeError, withFile } from './place.ts';

const { O_RDWR, W_OK } = fs.constants;

interface Replacement {
  /** A file with several names keeps them all, and all of them get the new content. */
  readonly isShared?: boolean;
}

/** Puts a content in the place of a file at once: whoever reads it meanwhile reads the old or the new. */
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
      // The folder takes no new file, or a new one would be somebody else's.
      if (!before || !['EACCES', 'EPERM'].includes(codeOf(error))) throw error;
      await overwrite(file, bytes, isShared);
    }
  });
}

/** Makes a file with several names one with this name alone, and as it was. */
export async function separate(file: string): Promise<void> {
  const bytes = await withFile(file, async (handle, { nlink }) =>
    nlink > 1 ? handle.readFile() : undefined,
  );
  if (bytes) await putBytes(file, bytes);
}

/** Puts a symbolic link in the place of whatever is there. */
export async function putLink(file: string, target: Buffer): Promise<void> {
  const name = path.basename(file);
  await inFolder(await HeldFolder.make(path.dirname(file)), async (folder) => {
    await clearWay(folder, name);
    await throughTemporary(folder, name, (temporary) => fs.symlink(target, folder.at(temporary)));
  });
}

/** Removes a file or a link itself. Below a link that stands for a folder there is nothing of ours. */
export async function removePlace(file: string): Promise<void> {
  try {
    await inFolder(await HeldFolder.hold(path.dirname(file)), (folder) =>
      fs.unlink(folder.at(path.basename(file))),
    );
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EMOVED'].includes(codeOf(error))) throw error;
  }
}

/** The ordinary file that is there, if it is one. A folder without files is removed, one with files is in the way. */
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
    if (!entries.every((entry) => entry.isDirectory())) throw placeError('ENOTEMPTY');
    for (const entry of entries) await removeEmpty(folder, entry.name);
  });
  await fs.rmdir(parent.at(name));
}

function replace(folder: HeldFolder, name: string, bytes: Buffer, before: Stats | undefined): Promise<void> {
  return throughTemporary(folder, name, async (temporary) => {
    // Nobody may read in it meanwhile what they may not read in the file.
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

async function throughTemporary(
  folder: HeldFolder,
  name: string,
  make: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `.${name.slice(0, 60)}.acp-${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    await make(temporary);
    await folder.check();
    await fs.rename(folder.at(temporary), folder.at(name));
  } catch (error) {
    await fs.rm(folder.at(temporary), { force: true });
    throw error;
  }
}

/** Changes a file in its place, so that all its names lead to the new content; when that fails, to the old one again. */
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
    if (facts.nlink > 1 && !isShared) throw placeError('ESHARED');
    await handle.writeFile(bytes);
    await handle.truncate(bytes.length);
  } finally {
    await handle.close();
  }
}
