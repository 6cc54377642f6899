import type { FileContent } from '../files/file-content.ts';
import type { FileReview, TrackedFile } from '../files/file-record.ts';
import type { Snapshot } from '../snapshots/snapshot-store.ts';

/** The state of the files before a prompt or a restore, which `:AcpRestore` returns to. */
export interface Checkpoint {
  readonly id: number;
  readonly at: number;
  /** The prompt, or the reason the checkpoint was made for. */
  readonly prompt: string;
  readonly kind: 'prompt' | 'restore';
  /** The snapshot of the folders. */
  readonly trees: Snapshot;
  /** The content of files that the snapshot does not contain, or contains too late. */
  readonly known: Map<string, FileContent>;
  /** The text of buffers with unsaved text. */
  readonly unsaved: ReadonlyMap<string, FileContent>;
  /** The review of files that were changed by the restore this checkpoint precedes. */
  readonly reviews: Map<string, ReviewState>;
}

export type ReviewState = Pick<TrackedFile, 'review' | 'decision'>;

/** The effect of a decision on one file. */
export interface DecidedFile {
  readonly path: string;
  /** The row of its first hunk, from 0. */
  readonly row: number;
  readonly before: FileReview;
  readonly after: FileReview;
  /** What the user had decided before. */
  readonly decision: TrackedFile['decision'];
}

/** Lines of the agent that the user has rejected. */
export interface Rejection {
  readonly path: string;
  /** The line where the old lines are now, from 1. */
  readonly line: number;
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
}

/** A decision of the user that can be undone. */
export interface PastDecision {
  readonly files: readonly DecidedFile[];
  /** The rejections that the agent was not told yet. */
  readonly rejections: readonly Rejection[];
}
