import path from 'node:path';
import type { Blobs } from './blobs.ts';
import { none, type Side } from './file-review.ts';
import { openTrees } from './open-trees.ts';
import { sideOf, unreadSide } from './sides.ts';
import type { Snapshot, TreeFile, Trees } from './trees.ts';

/** A file that differs between two times. */
export interface FolderChange {
  readonly path: string;
  /** What it was. */
  before(): Promise<Side>;
}

/** The folders of a session, and what they held. */
export class Folders {
  private readonly blobs: Blobs;
  private trees: readonly Trees[] = [];

  constructor(blobs: Blobs) {
    this.blobs = blobs;
  }

  async open(folders: readonly string[], state: string): Promise<void> {
    this.trees = await openTrees(folders, state);
  }

  async take(): Promise<Snapshot> {
    const taken = this.trees.map(async (trees) => [trees.root, await trees.take()] as const);
    return Object.fromEntries(await Promise.all(taken));
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
      return (await trees.changes(old, now)).map(({ name, before }) => ({
        path: path.join(trees.root, name),
        before: async () => (before ? this.side(trees, before) : none),
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
