import type { FileReview, Side } from './file-review.ts';
import type { Snapshot } from './trees.ts';

/** A file that an agent has touched, or may. */
export interface Tracked {
  readonly path: string;
  review: FileReview;
  /** What was on disk when it was last looked at. */
  disk: Side;
  /** It is not noted with the folders: git ignores it, or it is elsewhere. */
  readonly isApart?: boolean;
  /** What the user decided of it, so far. */
  done?: 'kept' | 'rejected' | 'partly kept';
}

/** A time to come back to. */
export interface Checkpoint {
  readonly id: number;
  readonly at: number;
  /** What the user was about to send, or why it was made. */
  readonly prompt: string;
  readonly kind: 'prompt' | 'restore';
  /** What the folders held. */
  readonly trees: Snapshot;
  /** What is known better, or only, of single files. */
  readonly known: Map<string, Side>;
  /** The text of buffers with unsaved text. */
  readonly unsaved: ReadonlyMap<string, Side>;
  /** How far files were reviewed that were changed by going back from here. */
  readonly reviews: Map<string, ReviewState>;
}

export type ReviewState = Pick<Tracked, 'review' | 'done'>;

/** The agent of this session, its user, or the agent of another session. */
export type Author = 'agent' | 'user' | 'other';

/** Somebody but the agent of this session has changed a file. */
export interface Touch {
  readonly at: number;
  readonly by: 'user' | 'other';
}

/** What a decision made of a file. */
export interface DecidedFile {
  readonly path: string;
  /** Where its first hunk was, from 0. */
  readonly row: number;
  readonly before: FileReview;
  readonly after: FileReview;
  readonly done: Tracked['done'];
}

/** Lines of the agent's that the user did not want. */
export interface Rejection {
  readonly path: string;
  /** Where the old lines are now, from 1. */
  readonly line: number;
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
}

/** A decision of the user, which can be taken back. */
export interface Decided {
  readonly files: readonly DecidedFile[];
  /** What the agent was not yet told. */
  readonly rejections: readonly Rejection[];
}
