import { AcpError } from '../../errors.ts';
import type { FileReview } from './file-review.ts';
import * as review from './file-review.ts';
import type { Ledger } from './ledger.ts';
import { hunkNear, type ReviewHunk, type Scope } from './review-model.ts';
import type { Decided, DecidedFile, Rejection, Tracked } from './tracked.ts';

export type Verdict = 'keep' | 'reject';

/** What the user said of which lines. A row is in the text as it is now. */
export interface Decision {
  readonly verdict: Verdict;
  readonly scope: Scope;
  /** Absent: every file. */
  readonly path?: string;
  /** Absent: all of the file. */
  readonly row?: number;
}

/** So many can be taken back. */
const maxDecided = 100;

/** What the user keeps and rejects, and takes back. */
export class Decisions {
  private readonly ledger: Ledger;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  decide(decision: Decision): Promise<void> {
    return this.ledger.run(async () => {
      const { path, scope } = decision;
      const all = [...this.ledger.files.values()];
      const files = path === undefined ? all.toSorted(byPath) : [this.file(path)];
      const taken: DecidedFile[] = [];
      const rejections: Rejection[] = [];
      try {
        for (const file of files) {
          await this.ledger.refresh(file);
          if (!review.isChanged(file.review, scope)) continue;
          const unwanted = rejectionsOf(file, decision);
          taken.push(await this.settle(file, decision));
          rejections.push(...unwanted);
        }
      } finally {
        // What was done before something went wrong can be taken back too.
        this.note({ files: taken, rejections });
      }
    });
  }

  /** Takes the last decision back, and gives the first file it was about; undefined when there is none. */
  undo(): Promise<DecidedFile | undefined> {
    return this.ledger.run(async () => {
      const last = this.ledger.decided.pop();
      for (const step of last?.files ?? []) await this.takeBack(step);
      return last?.files[0];
    });
  }

  /** What was rejected and not taken back, once. */
  takeRejections(): Promise<readonly Rejection[]> {
    return this.ledger.run(async () => {
      const { decided } = this.ledger;
      const rejections = decided.flatMap((one) => one.rejections);
      decided.splice(0, decided.length, ...decided.map(({ files }) => ({ files, rejections: [] })));
      return rejections;
    });
  }

  private note(decision: Decided): void {
    const { decided } = this.ledger;
    if (decision.files.length > 0) decided.push(decision);
    decided.splice(0, decided.length - maxDecided);
  }

  private file(path: string): Tracked {
    const file = this.ledger.files.get(path);
    if (!file) throw new AcpError('not_found', `${path} is not under review`);
    return file;
  }

  private async settle(file: Tracked, decision: Decision): Promise<DecidedFile> {
    const before = file.review;
    const after = judged(before, decision);
    const { done } = file;
    await this.ledger.put(file, after);
    const now = decision.verdict === 'keep' ? 'kept' : 'rejected';
    file.done = done === undefined || done === now ? now : 'partly kept';
    const { from = 0 } = meant(before, decision)[0] ?? {};
    return { path: file.path, row: from, before, after, done };
  }

  private async takeBack({ path, before, after, done }: DecidedFile): Promise<void> {
    const file = this.file(path);
    await this.ledger.refresh(file);
    const back = await review.undone(file.review, before, after);
    if (!back)
      throw new AcpError('file_error', `the same lines of ${path} were changed since; nothing to take back`);
    await this.ledger.put(file, back);
    if (done === undefined) delete file.done;
    else file.done = done;
  }
}

function judged(file: FileReview, { verdict, scope, row }: Decision): FileReview {
  if (row === undefined) return verdict === 'keep' ? review.keepFile(file) : review.rejectFile(file, scope);
  const hunk = hunkNear(review.fileHunks(file, scope), row);
  return verdict === 'keep' ? review.keepHunk(file, hunk) : review.rejectHunk(file, scope, hunk);
}

function byPath(one: Tracked, other: Tracked): number {
  return one.path < other.path ? -1 : 1;
}

/** The hunks a decision is about. */
function meant(file: FileReview, { scope, row }: Decision): readonly ReviewHunk[] {
  const all = review.fileHunks(file, scope);
  const near = row === undefined ? undefined : hunkNear(all, row);
  return near ? [near] : all;
}

function rejectionsOf({ path, review: file }: Tracked, decision: Decision): readonly Rejection[] {
  if (decision.verdict === 'keep') return [];
  const hunks = meant(file, decision);
  const [old, now] = [review.linesIn(file[decision.scope]), review.linesIn(file.now)];
  if (hunks.length === 0) return [{ path, line: 1, wanted: [], unwanted: [] }];
  return hunks.map(({ oldFrom, oldTo, from, to }) => ({
    path,
    line: from + 1,
    wanted: old.slice(oldFrom, oldTo),
    unwanted: now.slice(from, to),
  }));
}
