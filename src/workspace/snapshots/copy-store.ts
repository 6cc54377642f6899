import { type BigIntStats, type Dirent, lstat, lstatSync, readdir, readdirSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { inParts } from '../../base/serial-queue.ts';
import { fileError, isMissing } from '../files/disk.ts';
import { withFile } from '../files/held-folder.ts';
import { BlobStore } from './blob-store.ts';
import {
  maxFileBytes,
  type SnapshotChange,
  type SnapshotFile,
  type SnapshotStore,
  type UnwatchedPath,
} from './snapshot-store.ts';

/** Folders with generated or downloaded files. */
const ignoredFolders = new Set([
  ...['.git', '.hg', '.svn', '.jj', 'node_modules', '.venv', 'venv'],
  ...['__pycache__', '.cache', '.tox', '.direnv'],
]);
const maxFiles = 20_000;
/** How many files are copied, and folders listed, at the same time. */
const maxParallel = 16;
const maxLooks = 256;
/** A folder with at most so many files, which were listed within this time, is listed without other threads the next time. */
const fewFiles = 300;
const shortMs = 20;

interface CachedFile {
  readonly stamp: string;
  readonly file: SnapshotFile;
}

/** By name. Not an object: a file may be called `__proto__`. */
type Manifest = ReadonlyMap<string, SnapshotFile>;

/** Snapshots of a folder without a git repository: copies of its files, each content once. */
export class CopyStore implements SnapshotStore {
  readonly root: string;
  private readonly blobs: BlobStore;
  unwatched: readonly UnwatchedPath[] = [];
  private readonly cache = new Map<string, CachedFile>();
  /** The two manifests that were read last. */
  private manifests = new Map<string, Manifest>();
  /** The prompt waits for the snapshot, and answers of other threads wait for whatever the host does meanwhile. */
  private isListedHere = false;

  constructor(root: string, changesFolder: string) {
    this.root = root;
    this.blobs = new BlobStore(path.join(changesFolder, 'blobs'));
  }

  async takeSnapshot(): Promise<string> {
    const began = performance.now();
    const names = isRootOrHome(this.root) ? [] : await this.list();
    const manifest = new Map<string, SnapshotFile>();
    const unwatched: UnwatchedPath[] = [...this.limits(names)];
    const noteFailure = (name: string) => (error: unknown) => {
      const file = this.pathOf(name);
      // A missing file was deleted meanwhile.
      if (!isMissing(error)) unwatched.push({ path: file, reason: reasonFor(file, error) });
    };
    const stats = await inParts(names, maxLooks, (name) =>
      this.statOf(this.pathOf(name)).catch(noteFailure(name)),
    );
    this.isListedHere = names.length <= fewFiles && performance.now() - began <= shortMs;
    const files = await inParts(names, maxParallel, async (name, index) => {
      const stat = stats[index];
      return stat && this.copyFile(name, stat).catch(noteFailure(name));
    });
    for (const [index, file] of files.entries()) if (file) manifest.set(names[index]!, file);
    this.unwatched = unwatched;
    return this.blobs.put(Buffer.from(JSON.stringify(Object.fromEntries(manifest))));
  }

  async changes(from: string, to: string): Promise<readonly SnapshotChange[]> {
    if (from === to) return [];
    const [old, now] = await Promise.all([this.manifest(from), this.manifest(to)]);
    const names = new Set([...old.keys(), ...now.keys()]);
    return [...names]
      .map((name) => ({ name, before: old.get(name), after: now.get(name) }))
      .filter(({ before, after }) => before?.id !== after?.id || before?.kind !== after?.kind);
  }

  async covers(name: string): Promise<boolean> {
    if (isRootOrHome(this.root) || name.split('/').some((part) => ignoredFolders.has(part))) return false;
    const stat = await fs.lstat(this.pathOf(name)).catch(() => undefined);
    return !stat || stat.size <= maxFileBytes;
  }

  async find(tree: string, name: string): Promise<SnapshotFile | undefined> {
    return (await this.manifest(tree)).get(name);
  }

  read({ id }: SnapshotFile): Promise<Buffer> {
    return this.blobs.get(id);
  }

  async retain(): Promise<void> {}

  private limits(names: readonly string[]): readonly UnwatchedPath[] {
    const only = 'only files that the agent names are watched';
    if (isRootOrHome(this.root)) return [{ path: this.root, reason: `is not a project folder; ${only}` }];
    if (names.length < maxFiles) return [];
    return [{ path: this.root, reason: `has more than ${maxFiles} files; beyond those, ${only}` }];
  }

  // Many files are looked up in the same two manifests.
  private async manifest(tree: string): Promise<Manifest> {
    const known = this.manifests.get(tree);
    if (known) return known;
    const files = JSON.parse((await this.blobs.get(tree)).toString()) as Record<string, SnapshotFile>;
    const read = new Map(Object.entries(files));
    const [last] = [...this.manifests].slice(-1);
    this.manifests = new Map([...(last ? [last] : []), [tree, read]]);
    return read;
  }

  private async list(): Promise<readonly string[]> {
    const names: string[] = [];
    const folders = [''];
    while (folders.length > 0) {
      const part = folders.splice(0, maxParallel);
      const lists = await Promise.all(part.map((folder) => this.entriesOf(folder)));
      for (const [index, entries] of lists.entries()) {
        for (const entry of entries) {
          const name = part[index]! + entry.name;
          if (entry.isDirectory() && !ignoredFolders.has(entry.name)) folders.push(`${name}/`);
          else if (entry.isFile() || entry.isSymbolicLink()) names.push(name);
          if (names.length >= maxFiles) return names;
        }
      }
    }
    return names;
  }

  private async entriesOf(folder: string): Promise<readonly Dirent[]> {
    const place = this.pathOf(folder);
    try {
      return this.isListedHere ? readdirSync(place, { withFileTypes: true }) : await entriesOf(place);
    } catch {
      return [];
    }
  }

  // `path.join` would take as long as asking about the file.
  private pathOf(name: string): string {
    return `${this.root}/${name}`;
  }

  private async statOf(file: string): Promise<BigIntStats> {
    return this.isListedHere ? lstatSync(file, { bigint: true }) : lstatOf(file);
  }

  private async copyFile(name: string, stat: BigIntStats): Promise<SnapshotFile> {
    const file = this.pathOf(name);
    const stamp = [stat.mtimeNs, stat.ctimeNs, stat.size, stat.ino, stat.mode].join();
    const known = this.cache.get(name);
    if (known?.stamp === stamp) return known.file;
    if (stat.size > BigInt(maxFileBytes)) return { id: stamp, kind: 'unread' };
    const isLink = stat.isSymbolicLink();
    const content = isLink
      ? await fs.readlink(file, { encoding: 'buffer' })
      : await withFile(file, (handle) => handle.readFile());
    const isProgram = (stat.mode & 0o100n) !== 0n;
    const kind = isLink ? 'link' : isProgram ? 'program' : 'file';
    const copy: SnapshotFile = { id: await this.blobs.put(content), kind };
    this.cache.set(name, { stamp, file: copy });
    return copy;
  }
}

// A snapshot asks about every folder and file, and `fs.promises` takes three times as long.
function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return new Promise((resolve, reject) => {
    readdir(folder, { withFileTypes: true }, (error, entries) => (error ? reject(error) : resolve(entries)));
  });
}

function lstatOf(file: string): Promise<BigIntStats> {
  return new Promise((resolve, reject) => {
    lstat(file, { bigint: true }, (error, stat) => (error ? reject(error) : resolve(stat)));
  });
}

function reasonFor(file: string, error: unknown): string {
  return fileError(file, error).message.slice(file.length).trim();
}

// Never copy `/` or the home directory.
function isRootOrHome(root: string): boolean {
  return root === path.parse(root).root || root === os.homedir();
}
