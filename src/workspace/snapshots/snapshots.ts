import path from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { isInside } from '../../base/paths.ts';
import { type FileContent, noFile } from '../files/file-content.ts';
import type { BlobStore } from './blob-store.ts';
import { openStores } from './open-stores.ts';
import {
  isReadable,
  type Snapshot,
  type SnapshotFile,
  type SnapshotStore,
  type UnwatchedPath,
} from './snapshot-store.ts';
import { contentOf, unreadContent } from './stored-content.ts';

/** A file that differs between two snapshots. */
export interface ChangedFile {
  readonly path: string;
  /** The content in the older snapshot. */
  before(): Promise<FileContent>;
  /** The content is unknown in both snapshots. */
  readonly isUnread: boolean;
}

/** Takes and compares snapshots of the folders of a session, each with the store that fits it. */
export class Snapshots {
  private readonly blobs: BlobStore;
  private stores: readonly SnapshotStore[] = [];
  private unopened: readonly UnwatchedPath[] = [];
  /** Reasons, by folder, why its last snapshot or its last comparison failed. */
  private readonly untaken = new Map<string, string>();
  private readonly uncompared = new Map<string, string>();

  constructor(blobs: BlobStore) {
    this.blobs = blobs;
  }

  async open(folders: readonly string[], changesFolder: string): Promise<void> {
    const { stores, failures } = await openStores(folders, changesFolder);
    this.stores = stores;
    this.unopened = failures;
  }

  /** Paths whose changes are not known, with the reason. */
  get unwatched(): readonly UnwatchedPath[] {
    const failed = [...this.untaken, ...this.uncompared].map(([path, reason]) => ({ path, reason }));
    return [...this.unopened, ...failed, ...this.stores.flatMap((store) => store.unwatched)];
  }

  /** Folders that can't be read are missing from the snapshot. */
  async take(): Promise<Snapshot> {
    const taken = this.stores.map(async (store) => {
      const tree = await attempt(this.untaken, store.root, () => store.takeSnapshot());
      return tree === undefined ? [] : [[store.root, tree] as const];
    });
    return Object.fromEntries((await Promise.all(taken)).flat());
  }

  /** Keeps the contents of a snapshot readable for later sessions. */
  async retain(snapshot: Snapshot): Promise<void> {
    await Promise.all(
      this.stores.map((store) => snapshot[store.root] && store.retain(snapshot[store.root]!)),
    );
  }

  /** The files that differ, in folders that both snapshots contain. */
  async changes(from: Snapshot, to: Snapshot): Promise<readonly ChangedFile[]> {
    const lists = this.stores.map(async (store) => {
      const [old, now] = [from[store.root], to[store.root]];
      if (old === undefined || now === undefined) return [];
      const changes = await attempt(this.uncompared, store.root, () => store.changes(old, now));
      return (changes ?? []).map((change) => ({
        path: path.join(store.root, change.name),
        before: async () => (change.before ? this.content(store, change.before) : noFile),
        isUnread: !isReadable(change),
      }));
    });
    return (await Promise.all(lists)).flat();
  }

  /** The content of a file in a snapshot; undefined if the snapshot does not cover the file. */
  async contentAt(snapshot: Snapshot, file: string): Promise<FileContent | undefined> {
    const found = this.locate(file);
    const tree = found && snapshot[found.store.root];
    if (!found || tree === undefined) return undefined;
    const { store, name } = found;
    const kept = await store.find(tree, name);
    if (kept) return this.content(store, kept);
    return (await store.covers(name)) ? noFile : undefined;
  }

  covers(file: string): boolean {
    return this.locate(file) !== undefined;
  }

  private async content(store: SnapshotStore, file: SnapshotFile): Promise<FileContent> {
    if (file.kind === 'unread') return unreadContent(file.id);
    return contentOf(await store.read(file), file.kind, this.blobs);
  }

  private locate(file: string) {
    const candidates = this.stores.flatMap((store) => {
      if (file === store.root || !isInside(file, store.root)) return [];
      return [{ store, name: path.relative(store.root, file).split(path.sep).join('/') }];
    });
    // Repositories can be nested: the innermost one counts.
    return candidates.toSorted((one, other) => other.store.root.length - one.store.root.length)[0];
  }
}

// A folder that fails must not hide changes in the others.
async function attempt<T>(
  failures: Map<string, string>,
  root: string,
  act: () => Promise<T>,
): Promise<T | undefined> {
  try {
    const done = await act();
    failures.delete(root);
    return done;
  } catch (error) {
    failures.set(root, `could not be compared: ${messageOf(error)}`);
    return undefined;
  }
}
