/** What a folder held at one time. */
export interface Trees {
  /** The folder, symlinks resolved. Paths are told from here on, with slashes. */
  readonly root: string;
  /** What the last look left out. */
  readonly unwatched: readonly Unwatched[];
  /** Notes what is there now and gives it a name. What was noted before makes it quick. */
  take(): Promise<string>;
  /** The files that differ between two times. */
  changes(from: string, to: string): Promise<readonly TreeChange[]>;
  /** Whether a file of this name would be noted: it is not ignored, not huge, and in a folder of the session. */
  covers(name: string): Promise<boolean>;
  find(tree: string, name: string): Promise<TreeFile | undefined>;
  read(file: TreeFile): Promise<Buffer>;
  /** Makes sure that what was noted can still be read tomorrow. */
  keep(tree: string): Promise<void>;
}

/** What can't be looked at, and why. */
export interface Unwatched {
  readonly path: string;
  readonly reason: string;
}

export interface TreeFile {
  readonly id: string;
  /** `unread`: it was there, but too big, or not to be read. */
  readonly kind: 'file' | 'program' | 'link' | 'unread';
}

/** What several folders held at one time, by their roots. */
export type Snapshot = Readonly<Record<string, string>>;

export interface TreeChange {
  readonly name: string;
  readonly before: TreeFile | undefined;
  readonly after: TreeFile | undefined;
}

/** A file of which neither is known what it was nor what it is can't be reviewed. */
export function isKnown({ before, after }: TreeChange): boolean {
  return [before, after].some((file) => file !== undefined && file.kind !== 'unread');
}

/** Files longer than this are no text that anybody reviews. */
export const maxBytes = 5 * 1024 * 1024;
