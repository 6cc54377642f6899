import { SerialQueue } from '../../base/serial-queue.ts';
import type { BufferText } from './buffer.ts';
import type { FileContent } from './file-content.ts';

/** The common ancestor of a buffer and its file for a three-way merge. */
interface MergeBase {
  /** Absent: buffer and file differ, and nobody knows what they had in common. */
  readonly text: string | undefined;
  /** When the file had this text, as `timeOf` in disk.ts gives it; empty: unknown. */
  readonly time: string;
}

/** A text that an agent is about to write to a file, or has written. */
interface ExpectedText {
  readonly text: string;
  /** The text the agent changed to get it; the same text once that change is in the buffer. */
  readonly read: string;
}

/** How a new text on disk was merged into a buffer with unsaved text. */
export interface BufferMerge {
  readonly disk: string;
  /** The text of the buffer before. */
  readonly was: string;
  /** The text of the buffer after that; the same one if the two are in conflict. */
  readonly seen: string;
}

/** A file at the times that a review compares. */
export interface FileReview {
  readonly session: FileContent;
  readonly turn: FileContent;
  readonly now: FileContent;
}

/** The review of a file that the agent of a session has changed, or may have. */
export interface TrackedFile {
  readonly path: string;
  review: FileReview;
  /** The content on disk when it was last compared. */
  disk: FileContent;
  /** Snapshots do not contain the file: git ignores it, or it is outside of the folders. */
  readonly isOutsideSnapshots?: boolean;
  /** What the user has decided so far. */
  decision?: 'kept' | 'rejected' | 'partly kept';
}

/** The agent of this session, its user, or the agent of another session. */
export type Author = 'agent' | 'user' | 'other';

/** The last change by anybody but the agent of this session. */
export interface OtherChange {
  readonly at: number;
  readonly by: 'user' | 'other';
}

/** A content whose author is known. */
interface AuthoredContent {
  /** The user, or the number of a session. */
  readonly by: 'user' | number;
  readonly content: FileContent;
  readonly at: number;
}

/** A question to the user about a file that changed on disk under their unsaved text. */
interface OpenConflict {
  /** The text on disk that it is about. */
  readonly disk: string;
  readonly withdrawal: AbortController;
  /** Resolves with true when buffer and disk match again, with false when the user left the conflict unresolved. */
  readonly resolution: Promise<boolean>;
}

/** The facts about one file that all sessions of this Neovim share. */
interface SharedFileRecord {
  conflict?: OpenConflict | undefined;
  /** The last content whose author is known. */
  authored?: AuthoredContent | undefined;
}

/**
 * Everything the host knows about one file in one session. Whoever needs a fact about a file reads it here, and only
 * the owner of a group of fields (named above it) changes them.
 */
export class FileRecord {
  readonly path: string;
  readonly shared: SharedFileRecord;
  /** Changes of the file run one after the other. */
  readonly changes = new SerialQueue();

  // Owner: BufferSync.
  /** The buffer as it was last read, so that Neovim need not send the same lines again. */
  buffer: BufferText | undefined;
  base: MergeBase | undefined;
  expected: ExpectedText | undefined;
  /** What the agent had read before it wrote the text that is in conflict with the buffer now. */
  conflictingRead: string | undefined;
  /** The merges since the file was last compared. */
  merges: readonly BufferMerge[] = [];
  /** The user knows that their unsaved text was merged; they are told once until they save. */
  isMergeNoticed = false;

  // Owner: AgentKnowledge.
  /** The text that the agent last read or wrote. */
  agentText: string | undefined;
  /** The texts that it knew before, the last one at the end. */
  earlierTexts: readonly string[] = [];
  /** What a formatter of the user made of it on saving; the agent does not know that. */
  formattedText: string | undefined;

  // Owner: Ledger.
  tracked: TrackedFile | undefined;
  otherChange: OtherChange | undefined;
  /** The user has saved the file, and the save was not compared yet. */
  isSavePending = false;
  /** How often the user has saved the file. */
  saves = 0;
  /** The content when the agent first touched the file while the snapshot of the turn was still being taken. */
  earlyContent: Promise<FileContent> | undefined;
  /** Why the file could not be compared. */
  failure: string | undefined;

  constructor(path: string, shared: SharedFileRecord) {
    this.path = path;
    this.shared = shared;
  }
}

/** The shared half of the records, by path. It lives as long as the host. */
export class SharedFileRecords {
  private readonly records = new Map<string, SharedFileRecord>();

  get(path: string): SharedFileRecord {
    const record = this.records.get(path) ?? {};
    this.records.set(path, record);
    return record;
  }
}

/**
 * The records of one session, by real path (links resolved). A record is made by the first `get` and lives as long as
 * the session: the agent may write any file it has read, and the user may review any file it has changed. Facts that
 * can be had again go earlier: `buffer` when no buffer shows the file, `conflict` when it is over, `earlyContent` with
 * the snapshot.
 */
export class FileRecords {
  private readonly shared: SharedFileRecords;
  private readonly records = new Map<string, FileRecord>();

  constructor(shared = new SharedFileRecords()) {
    this.shared = shared;
  }

  /** The record of a file, made if there is none. */
  get(path: string): FileRecord {
    const record = this.records.get(path) ?? new FileRecord(path, this.shared.get(path));
    this.records.set(path, record);
    return record;
  }

  /** The record of a file if there is one. */
  find(path: string): FileRecord | undefined {
    return this.records.get(path);
  }

  /** All records, those made first at the beginning. */
  all(): readonly FileRecord[] {
    return [...this.records.values()];
  }
}
