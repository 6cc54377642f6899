import path from 'node:path';
import { messageOf } from '../../errors.ts';
import type { Blobs } from './blobs.ts';
import { none, type Side } from './file-review.ts';
import { openTrees } from './open-trees.ts';
import { sideOf, unreadSide } from './sides.ts';
import { isKnown, type Snapshot, type TreeFile, type Trees, type Unwatched } from './trees.ts';

/** A file that differs between two times. */
export interface FolderChange {
  readonly path: string;
  /** What it was. */
  before(): Promise<Side>;
  /** Neither is known what it was nor what it is. */
  readonly isUnread: boolean;
}

/** The folders of a session, and what they held. */
export class Folders {
  private readonly blobs: Blobs;
  private trees: readonly Trees[] = [];
  private closed: readonly Unwatched[] = [];
  /** Why a folder could not be looked at last time, and why it is not known what changed in it. */
  private readonly untaken = new Map<string, string>();
  private readonly uncompared = new Map<string, string>();

  constructor(blobs: Blobs) {
    this.blobs = blobs;
  }

  async open(folders: readonly string[], state: string): Promise<void> {
    const { trees, failures } = await openTrees(folders, state);
    this.trees = trees;
    this.closed = failures;
  }

  /** What could not be looked at, and why. */
  get unwatched(): readonly Unwatched[] {
    const failed = [...this.untaken, ...this.uncompared].map(([path, reason]) => ({ path, reason }));
    return [...this.closed, ...failed, ...this.trees.flatMap((trees) => trees.unwatched)];
  }

  /** What a folder holds that can't be looked at is not in it. */
  async take(): Promise<Snapshot> {
    const taken = this.trees.map(async (trees) => {
      const tree = await attempt(this.untaken, trees.root, () => trees.take());
      return tree === undefined ? [] : [[trees.root, tree] as const];
    });
    return Object.fromEntries((await Promise.all(taken)).flat());
  }

  /** Makes sure that what was noted can still be read tomorrow. */
  async keep(snapshot: Snapshot): Promise<void> {
    await Promise.all(this.trees.map((trees) => snapshot[trees.root] && trees.keep(snapshot[trees.root]!)));
  }

  /** What is told of a folder only one of the times knows is nothing. */
  async changes(from: Snapshot, to: Snapshot): Promise<readonly FolderChange[]> {
    const lists = this.trees.map(async (trees) => {
      const [old, now] = [from[trees.root], to[trees.root]];
      if (old === undefined || now === undefined) return [];
      const changes = await attempt(this.uncompared, trees.root, () => trees.changes(old, now));
      return (changes ?? []).map((change) => ({
        path: path.join(trees.root, change.name),
        before: async () => (change.before ? this.side(trees, change.before) : none),
        isUnread: !isKnown(change),
      }));
    });
    return (await Promise.all(lists)).flat();
  }

  /** What a file was; undefined when nobody knows. */
  async sideAt(snapshot: Snapshot, file: string): Promise<Side | undefined> {
    const place = this.locate(file);
    const tree = place && snapshot[place.trees.root];
    if (!place || tree === undefined) return undefined;
    const found = await place.trees.find(tree, place.name);
    if (found) return this.side(place.trees, found);
    return (await place.trees.covers(place.name)) ? none : undefined;
  }

  has(file: string): boolean {
    return this.locate(file) !== undefined;
  }

  private async side(trees: Trees, file: TreeFile): Promise<Side> {
    if (file.kind === 'unread') return unreadSide(file.id);
    return sideOf(await trees.read(file), file.kind, this.blobs);
  }

  private locate(file: string) {
    const places = this.trees.flatMap((trees) => {
      const name = path.relative(trees.root, file);
      const isInside =
        name !== '' && name !== '..' && !name.startsWith(`..${path.sep}`) && !path.isAbsolute(name);
      return isInside ? [{ trees, name: name.split(path.sep).join('/') }] : [];
    });
    // One repository may be in another.
    return places.toSorted((one, other) => other.trees.root.length - one.trees.root.length)[0];
  }
}

// One folder that fails does not hide what is in the others.
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
    failures.set(root, messageOf(error));
    return undefined;
  }
}
