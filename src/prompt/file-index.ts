import { once } from '../base/once.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

/** Lists the files of a folder, relative to it. */
export type ListFiles = (folder: string, signal: AbortSignal) => Promise<readonly string[]>;

/** The files and folders of a folder, as they were a moment ago. Folders end with a slash. */
export interface FileList {
  readonly paths: readonly string[];
  /** The paths in lower case. */
  readonly lower: readonly string[];
  /** Where the name begins in each path. */
  readonly names: ArrayLike<number>;
}

interface Folder {
  list: FileList | undefined;
  /** When the next listing may start. */
  staleAt: number;
  listing: Promise<void> | undefined;
}

const minAgeMs = 3_000;
/** A listing that takes long is repeated less often. */
const restFactor = 10;
const maxFolders = 20;

/** The files of the folders that prompts may mention. A list is read from memory, and listed again when it is old. */
export class FileIndex {
  private readonly listFiles: ListFiles;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly folders = new Map<string, Folder>();
  private readonly ending = new AbortController();

  constructor(listFiles: ListFiles, clock: Clock, log: Log) {
    this.listFiles = listFiles;
    this.clock = clock;
    this.log = log;
  }

  /** The last list; undefined during the first listing. A new listing starts if the list is old. */
  get(folder: string): FileList | undefined {
    const entry = this.entryOf(folder);
    this.refresh(folder, entry);
    return entry.list;
  }

  /** Waits for the listing that runs. */
  async settled(folder: string): Promise<void> {
    await this.folders.get(folder)?.listing;
  }

  readonly end = once(async () => {
    this.ending.abort();
    await Promise.all([...this.folders.values()].map(({ listing }) => listing));
  });

  private entryOf(folder: string): Folder {
    const entry = this.folders.get(folder) ?? { list: undefined, staleAt: 0, listing: undefined };
    this.folders.delete(folder);
    this.folders.set(folder, entry);
    const [oldest] = this.folders.keys();
    if (this.folders.size > maxFolders && oldest !== undefined) this.folders.delete(oldest);
    return entry;
  }

  private refresh(folder: string, entry: Folder): void {
    if (entry.listing || this.ending.signal.aborted || this.clock.elapsed() < entry.staleAt) return;
    entry.listing = this.list(folder, entry).finally(() => {
      entry.listing = undefined;
    });
  }

  private async list(folder: string, entry: Folder): Promise<void> {
    const start = this.clock.elapsed();
    try {
      const files = await this.listFiles(folder, this.ending.signal);
      if (!this.ending.signal.aborted) entry.list = await fileList(files, entry.list);
    } catch (error) {
      this.log.error(`could not list the files of ${folder}`, error);
    }
    const now = this.clock.elapsed();
    entry.staleAt = now + Math.max(minAgeMs, restFactor * (now - start));
  }
}

/** How many paths are handled before other work of the host may run. */
const slice = 5_000;

/** Adds the folders. An equal list stays the same object, so that what was computed from it stays valid. */
export async function fileList(files: readonly string[], before?: FileList): Promise<FileList> {
  const paths = [...files];
  const folders = new Set<string>();
  for (let at = 0; at < files.length; at += slice) {
    for (const file of files.slice(at, at + slice)) addFolders(file, folders);
    await pause();
  }
  for (const folder of folders) paths.push(folder);
  if (before && isSame(before.paths, paths)) return before;
  const lower: string[] = [];
  const names = new Uint32Array(paths.length);
  for (let at = 0; at < paths.length; at += slice) {
    for (const path of paths.slice(at, at + slice)) {
      names[lower.length] = nameStart(path);
      lower.push(path.toLowerCase());
    }
    await pause();
  }
  return { paths, lower, names };
}

/** Where the last name of a path begins; a slash at the end belongs to it. */
export function nameStart(path: string): number {
  return path.lastIndexOf('/', path.length - 2) + 1;
}

function addFolders(file: string, folders: Set<string>): void {
  for (let slash = file.lastIndexOf('/'); slash > 0; slash = file.lastIndexOf('/', slash - 1)) {
    const folder = file.slice(0, slash + 1);
    if (folders.has(folder)) return;
    folders.add(folder);
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
