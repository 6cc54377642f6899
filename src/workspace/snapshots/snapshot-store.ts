/** Takes snapshots of one folder. A snapshot is identified by the id of its tree. */
export interface SnapshotStore {
  /** The folder, symlinks resolved. File names are relative to it, with slashes. */
  readonly root: string;
  /** Paths that the last snapshot left out. */
  readonly unwatched: readonly UnwatchedPath[];
  /** Takes a snapshot and returns its id. Unchanged files since the last one are not read again. */
  takeSnapshot(): Promise<string>;
  /** The files that differ between two snapshots. */
  changes(from: string, to: string): Promise<readonly SnapshotChange[]>;
  /** Whether a snapshot would contain this file: it is not ignored, not too large, and in the folder of the session. */
  covers(name: string): Promise<boolean>;
  find(tree: string, name: string): Promise<SnapshotFile | undefined>;
  read(file: SnapshotFile): Promise<Buffer>;
  /** Keeps the contents of a snapshot readable for later sessions. */
  retain(tree: string): Promise<void>;
}

/** A path whose changes are not known, with the reason. */
export interface UnwatchedPath {
  readonly path: string;
  readonly reason: string;
}

export interface SnapshotFile {
  readonly id: string;
  /** `unread`: it exists, but is too large or not readable. */
  readonly kind: 'file' | 'program' | 'link' | 'unread';
}

/** Snapshots of several folders: root → id. */
export type Snapshot = Readonly<Record<string, string>>;

export interface SnapshotChange {
  readonly name: string;
  readonly before: SnapshotFile | undefined;
  readonly after: SnapshotFile | undefined;
}

/** Whether the content before or after the change is known. Other changes can't be reviewed. */
export function isReadable({ before, after }: SnapshotChange): boolean {
  return [before, after].some((file) => file !== undefined && file.kind !== 'unread');
}

/** Larger files are not read: nobody reviews them as text. */
export const maxFileBytes = 5 * 1024 * 1024;
