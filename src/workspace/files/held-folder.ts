import { existsSync, readlinkSync, type Stats } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
// Not every platform has these.
const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = fs.constants;

const isMac = process.platform === 'darwin';
/** Links to the open files of this process: they give the current path of a file, and lead into an open folder. */
const openFiles = '/proc/self/fd';
const hasOpenFiles = process.platform === 'linux' && existsSync(openFiles);
/** O_NOFOLLOW_ANY: macOS refuses symlinks in all parts of the path. */
const followNothing = isMac ? 0x2000_0000 : O_NOFOLLOW;
/** O_PATH: opens a folder also without permission to list it. */
const holdOnly = hasOpenFiles ? 0o10000000 : O_RDONLY;

const maxTries = 4;

/** Opens a real path. A symlink in any part of it is refused, also one that is created meanwhile. */
async function openWithoutLinks(place: string, flags: number = O_RDONLY, mode?: number): Promise<FileHandle> {
  const handle = await opened(place, flags, mode);
  return orClosed(handle, async () => {
    await requirePlace(handle, place);
    return handle;
  });
}

async function requirePlace(handle: FileHandle, place: string): Promise<void> {
  if (!(await isAt(handle, place))) throw pathError('EMOVED');
}

async function orClosed<T>(handle: FileHandle, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface OpenedFile {
  readonly handle: FileHandle;
  readonly facts: Stats;
}

/** Opens a regular file at a real path. Pipes and devices are refused: they may have no end. */
export async function openFile(place: string, flags: number = O_RDONLY): Promise<OpenedFile> {
  for (let tries = 1; tries < maxTries; tries += 1) {
    try {
      return await tryToOpen(place, flags);
    } catch (error) {
      // Another program may have put a new file in the place of the one that was opened.
      if (codeOf(error) !== 'EMOVED') throw error;
    }
  }
  return tryToOpen(place, flags);
}

async function tryToOpen(place: string, flags: number): Promise<OpenedFile> {
  const handle = await opened(place, flags);
  return orClosed(handle, async () => {
    // Both look at the open file, whatever is at the path by now.
    const [facts] = await Promise.all([handle.stat(), requirePlace(handle, place)]);
    if (facts.isDirectory()) throw pathError('EISDIR');
    if (!facts.isFile()) throw pathError('ENOTFILE');
    return { handle, facts };
  });
}

/** Calls `act` with an open regular file, and closes it. */
export async function withFile<T>(
  place: string,
  act: (handle: FileHandle, facts: Stats) => Promise<T>,
): Promise<T> {
  const { handle, facts } = await openFile(place);
  try {
    return await act(handle, facts);
  } finally {
    // It was only read, so nothing can be lost, and nobody has to wait.
    handle.close().catch(() => undefined);
  }
}

/** An open folder. Names in it lead into this folder even if another one is put in its place. */
export class HeldFolder {
  readonly folder: string;
  private readonly handle: FileHandle;

  private constructor(folder: string, handle: FileHandle) {
    this.folder = folder;
    this.handle = handle;
  }

  static async hold(folder: string): Promise<HeldFolder> {
    return new HeldFolder(folder, await openWithoutLinks(folder, holdOnly | O_DIRECTORY));
  }

  /** Opens a folder, and creates it and its parents if they are missing. */
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

  /** Creates a file in the folder. */
  create(name: string, mode?: number): Promise<FileHandle> {
    return fs.open(this.at(name), O_WRONLY | O_CREAT | O_EXCL | followNothing, mode);
  }

  /** Throws if the path of the folder has changed, on platforms where names can't be resolved in an open folder. */
  async check(): Promise<void> {
    if (!hasOpenFiles && !(await isAt(this.handle, this.folder))) throw pathError('EMOVED');
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** Calls `act` with an open folder, and closes it. */
export async function inFolder<T>(held: HeldFolder, act: (folder: HeldFolder) => Promise<T>): Promise<T> {
  try {
    return await act(held);
  } finally {
    await held.close();
  }
}

export function pathError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

// Without O_NONBLOCK, opening a pipe without a writer would block a thread for ever.
async function opened(place: string, flags: number, mode?: number): Promise<FileHandle> {
  try {
    return await fs.open(place, flags | followNothing | O_NONBLOCK | O_NOCTTY, mode);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw pathError('EMOVED');
    throw codeOf(error) === 'ENXIO' ? pathError('ENOTFILE') : error;
  }
}

async function isAt(handle: FileHandle, place: string): Promise<boolean> {
  // The kernel answers at once, and a thread for it would take longer.
  if (hasOpenFiles) return readlinkSync(`${openFiles}/${handle.fd}`) === place;
  const [opened, there] = await Promise.all([
    handle.stat({ bigint: true }),
    fs.lstat(place, { bigint: true }),
  ]);
  const isSame = opened.dev === there.dev && opened.ino === there.ino;
  return isSame && (await fs.realpath(place)) === place;
}
