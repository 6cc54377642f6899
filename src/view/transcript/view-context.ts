import type { QuestionEntry, ToolEntry } from '../../model/entries.ts';
import type { SessionState } from '../../model/session.ts';
import type { DiffContext } from '../diff/diff-lines.ts';
import type { ToolDiffCache } from '../diff/tool-diff-cache.ts';
import type { QuestionOffers } from '../questions/choices.ts';

/** What the lines of an entry depend on, apart from the entry. */
export interface ViewContext extends DiffContext {
  readonly state: SessionState;
  readonly diffs: ToolDiffCache;
  /** The folders of the session. */
  readonly roots: readonly string[];
  readonly now: number;
  /** Cells of the narrowest window that shows the transcript, if there is one. */
  readonly width?: number | undefined;
  isOpen(id: number): boolean;
  /** The calls of the subagent that a call started. */
  childrenOf?(id: number): readonly ToolEntry[];
  /** The real path of a file, without links. */
  resolveLinks?(file: string): string;
  /** Whether other programs execute the file at this real path, or read their settings from it. */
  isProtected?(file: string): boolean;
  /** What else the user can choose in an open question. */
  offers?(entry: QuestionEntry): QuestionOffers;
}
