import { AcpError } from '../../../base/errors.ts';
import { linesIn } from '../../files/file-content.ts';
import type { FileReview, TrackedFile } from '../../files/file-record.ts';
import type { Ledger } from '../ledger.ts';
import { byPath, inPutOrder, putAll } from '../put-all.ts';
import type { DecidedFile, Rejection } from '../types.ts';
import * as review from './file-review.ts';
import { hunkNear, type ReviewHunk, type Scope } from './line-review.ts';

export type Verdict = 'keep' | 'reject';

/** What the user keeps or rejects. The row is a row of the current text. */
export interface Decision {
  readonly verdict: Verdict;
  readonly scope: Scope;
  /** Absent: every file. */
  readonly path?: string;
  /** Absent: the whole file. */
  readonly row?: number;
  /** The user has confirmed the decision for files outside of the folders of the session. */
  readonly isOutsideToo?: boolean;
}

/** The state of a file after a decision about it is undone. */
interface PlannedUndo {
  readonly path: string;
  readonly step: DecidedFile;
  readonly file: TrackedFile;
  readonly back: FileReview;
}

/** Keeps and rejects changes, and undoes that. */
export class ReviewDecisions {
  private readonly ledger: Ledger;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** Resolves with the files that were left out because they are outside of the folders of the session. */
  decide(decision: Decision): Promise<readonly string[]> {
    return this.ledger.run(async () => {
      const { path } = decision;
      const all = path === undefined ? this.ledger.files.all() : [this.file(path)];
      const outside = await this.outside(all, decision);
      const files = inPutOrder(
        all.filter((file) => !outside.includes(file.path)),
        (file) => ({ path: file.path, to: reviewAfter(file.review, decision).now }),
      );
      const taken: DecidedFile[] = [];
      const rejections: Rejection[] = [];
      try {
        await putAll(files, async (file) => {
          await this.ledger.files.refresh(file);
          if (!review.isChanged(file.review, decision.scope)) return;
          const unwanted = rejectionsOf(file, decision);
          taken.push(await this.settle(file, decision));
          rejections.push(...unwanted);
        });
      } finally {
        // The files that were changed before a failure can be undone too.
        this.ledger.decisions.add({ files: taken.toSorted(byPath), rejections });
      }
      return outside;
    });
  }

  /**
   * Undoes the last decision and resolves with its first file; undefined if there is none. Files that can't be undone
   * stay in the history.
   */
  undo(): Promise<DecidedFile | undefined> {
    return this.ledger.run(async () => {
      const { decisions } = this.ledger;
      const { last } = decisions;
      if (!last) return undefined;
      const steps: PlannedUndo[] = [];
      for (const step of last.files) steps.push(await this.undoing(step));
      const left = new Set(last.files);
      try {
        const ordered = inPutOrder(steps, ({ path, back }) => ({ path, to: back.now }));
        await putAll(ordered, async ({ step, file, back }) => {
          await this.ledger.files.put(file, back, { decision: step.decision });
          left.delete(step);
        });
      } finally {
        const rejections = last.rejections.filter(({ path }) => [...left].some((one) => one.path === path));
        decisions.replaceLast({ files: [...left], rejections });
      }
      return last.files[0];
    });
  }

  /** The rejections that the agent was not told yet. They are given once. */
  takeRejections(): Promise<readonly Rejection[]> {
    return this.ledger.run(async () => this.ledger.decisions.takeRejections());
  }

  private file(path: string): TrackedFile {
    const file = this.ledger.files.find(path);
    if (!file) throw new AcpError('not_found', `${path} is not under review`);
    return file;
  }

  private async settle(file: TrackedFile, decision: Decision): Promise<DecidedFile> {
    const before = file.review;
    const after = reviewAfter(before, decision);
    const earlier = file.decision;
    const now = decision.verdict === 'keep' ? 'kept' : 'rejected';
    await this.ledger.files.put(file, after, {
      decision: earlier === undefined || earlier === now ? now : 'partly kept',
    });
    const { from = 0 } = hunksMeant(before, decision)[0] ?? {};
    return { path: file.path, row: from, before, after, decision: earlier };
  }

  private async undoing(step: DecidedFile): Promise<PlannedUndo> {
    const { path, before, after } = step;
    const file = this.file(path);
    await this.ledger.files.refresh(file);
    const back = await review.undoDecision(file.review, before, after);
    if (back) return { path, step, file, back };
    const message = `the same lines of ${path} were changed since; nothing was undone`;
    throw new AcpError('file_error', message);
  }

  // The original content of such a file may be known only from what the agent reported.
  private async outside(files: readonly TrackedFile[], decision: Decision): Promise<readonly string[]> {
    if (decision.verdict === 'keep' || decision.isOutsideToo) return [];
    const changed = files.filter((file) => review.isChanged(file.review, decision.scope));
    const places = await Promise.all(changed.map(({ path }) => this.ledger.isInside(path)));
    return changed.filter((_, at) => !places[at]).map(({ path }) => path);
  }
}

function reviewAfter(file: FileReview, { verdict, scope, row }: Decision): FileReview {
  if (row === undefined) return verdict === 'keep' ? review.keepFile(file) : review.rejectFile(file, scope);
  const hunk = hunkNear(review.fileHunks(file, scope), row);
  return verdict === 'keep' ? review.keepHunk(file, hunk) : review.rejectHunk(file, scope, hunk);
}

/** The hunks a decision is about. */
function hunksMeant(file: FileReview, { scope, row }: Decision): readonly ReviewHunk[] {
  const all = review.fileHunks(file, scope);
  const near = row === undefined ? undefined : hunkNear(all, row);
  return near ? [near] : all;
}

function rejectionsOf({ path, review: file }: TrackedFile, decision: Decision): readonly Rejection[] {
  if (decision.verdict === 'keep') return [];
  const hunks = hunksMeant(file, decision);
  const [old, now] = [linesIn(file[decision.scope]), linesIn(file.now)];
  if (hunks.length === 0) return [{ path, line: 1, wanted: [], unwanted: [] }];
  return hunks.map(({ oldFrom, oldTo, from, to }) => ({
    path,
    line: from + 1,
    wanted: old.slice(oldFrom, oldTo),
    unwanted: now.slice(from, to),
  }));
}
