import { existsSync, type Stats } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
// Not every system has these.
const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = fs.constants;

const isMac = process.platform === 'darwin';
/** Where the path of an open file can be read, and be the beginning of another path. */
const openFiles = '/proc/self/fd';
const hasOpenFiles = process.platform === 'linux' && existsSync(openFiles);
/** O_NOFOLLOW_ANY: macOS then follows no link in the whole path. */
const followNothing = isMac ? 0x2000_0000 : O_NOFOLLOW;
/** O_PATH: a folder may be one whose names we may not list. */
const holdOnly = hasOpenFiles ? 0o10000000 : O_RDONLY;

/** Opens what is at a real path itself. A link in any part of it is refused, and so is one that comes up meanwhile. */
export async function openPlace(place: string, flags: number = O_RDONLY, mode?: number): Promise<FileHandle> {
  const handle = await opened(place, flags, mode);
  try {
    if (!(await isAt(handle, place))) throw placeError('EMOVED');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens an ordinary file at a real path. A pipe or a device may have no end, and is no file to anybody who edits. */
export async function openFile(
  place: string,
  flags: number = O_RDONLY,
): Promise<{ readonly handle: FileHandle; readonly facts: Stats }> {
  const handle = await openPlace(place, flags);
  try {
    const facts = await handle.stat();
    if (facts.isDirectory()) throw placeError('EISDIR');
    if (!facts.isFile()) throw placeError('ENOTFILE');
    return { handle, facts };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Calls `act` with an ordinary file that is open for it. */
export async function withFile<T>(
  place: string,
  act: (handle: FileHandle, facts: Stats) => Promise<T>,
): Promise<T> {
  const { handle, facts } = await openFile(place);
  try {
    return await act(handle, facts);
  } finally {
    await handle.close();
  }
}

/** A folder that is held open: a name in it leads into this very folder, whatever is put in its place. */
export class HeldFolder {
  readonly folder: string;
  private readonly handle: FileHandle;

  private constructor(folder: string, handle: FileHandle) {
    this.folder = folder;
    this.handle = handle;
  }

  static async hold(folder: string): Promise<HeldFolder> {
    return new HeldFolder(folder, await openPlace(folder, holdOnly | O_DIRECTORY));
  }

  /** Makes the folder, and those it is in, if it is missing. */
  static async make(folder: string): Promise<HeldFolder> {
    try {
      return await HeldFolder.hold(folder);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || path.dirname(folder) === folder) throw error;
    }
    await inFolder(await HeldFolder.make(path.dirname(folder)), async (parent) => {
      const made = fs.mkdir(parent.at(path.basename(folder)));
      await made.catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    });
    return HeldFolder.hold(folder);
  }

  at(name: string): string {
    return path.join(hasOpenFiles ? `${openFiles}/${this.handle.fd}` : this.folder, name);
  }

  /** A new file in it. */
  create(name: string, mode?: number): Promise<FileHandle> {
    return fs.open(this.at(name), O_WRONLY | O_CREAT | O_EXCL | followNothing, mode);
  }

  /** Throws if the path of the folder leads elsewhere now, where names can't be told from the open folder. */
  async check(): Promise<void> {
    if (!hasOpenFiles && !(await isAt(this.handle, this.folder))) throw placeError('EMOVED');
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** Calls `act` with a folder that is held for it. */
export async function inFolder<T>(held: HeldFolder, act: (folder: HeldFolder) => Promise<T>): Promise<T> {
  try {
    return await act(held);
  } finally {
    await held.close();
  }
}

export function placeError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

// Without O_NONBLOCK a pipe that nobody writes to would hold up a thread for ever.
async function opened(place: string, flags: number, mode?: number): Promise<FileHandle> {
  try {
    return await fs.open(place, flags | followNothing | O_NONBLOCK | O_NOCTTY, mode);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw placeError('EMOVED');
    throw codeOf(error) === 'ENXIO' ? placeError('ENOTFILE') : error;
  }
}

async function isAt(handle: FileHandle, place: string): Promise<boolean> {
  if (hasOpenFiles) return (await fs.readlink(`${openFiles}/${handle.fd}`)) === place;
  const [opened, there] = await Promise.all([
    handle.stat({ bigint: true }),
    fs.lstat(place, { bigint: true }),
  ]);
  const isSame = opened.dev === there.dev && opened.ino === there.ino;
  return isSame && (await fs.realpath(place)) === place;
}
