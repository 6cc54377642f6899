import type { FileReview, Side } from './file-review.ts';

/** A file that an agent has touched, or may. */
export interface Tracked {
  readonly path: string;
  review: FileReview;
  /** What was on disk when it was last looked at. */
  disk: Side;
  /** How the last of its hunks was settled. */
  done?: 'kept' | 'rejected';
}

/** A time to come back to. */
export interface Checkpoint {
  readonly id: number;
  readonly at: number;
  /** What the user was about to send, or why it was made. */
  readonly prompt: string;
  readonly kind: 'prompt' | 'restore';
  /** What each of the folders held. */
  readonly trees: readonly string[];
}

export type Author = 'agent' | 'user';
