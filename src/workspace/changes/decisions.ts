import { AcpError } from '../../errors.ts';
import type { FileReview } from './file-review.ts';
import * as review from './file-review.ts';
import type { Ledger } from './ledger.ts';
import { byPath, inPutOrder, putAll } from './put-all.ts';
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
  /** The user was asked about files outside of the folders of the session. */
  readonly isOutsideToo?: boolean;
}

/** What a file becomes when a decision about it is taken back. */
interface Undoing {
  readonly path: string;
  readonly step: DecidedFile;
  readonly file: Tracked;
  readonly back: FileReview;
}

/** So many can be taken back. */
const maxDecided = 100;

/** What the user keeps and rejects, and takes back. */
export class Decisions {
  private readonly ledger: Ledger;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** Gives the files that were left alone because they are outside of the folders of the session. */
  decide(decision: Decision): Promise<readonly string[]> {
    return this.ledger.run(async () => {
      const { path } = decision;
      const all = path === undefined ? [...this.ledger.files.values()] : [this.file(path)];
      const outside = await this.outside(all, decision);
      const files = inPutOrder(
        all.filter((file) => !outside.includes(file.path)),
        (file) => ({ path: file.path, to: judged(file.review, decision).now }),
      );
      const taken: DecidedFile[] = [];
      const rejections: Rejection[] = [];
      try {
        await putAll(files, async (file) => {
          await this.ledger.refresh(file);
          if (!review.isChanged(file.review, decision.scope)) return;
          const unwanted = rejectionsOf(file, decision);
          taken.push(await this.settle(file, decision));
          rejections.push(...unwanted);
        });
      } finally {
        // What was done though something went wrong can be taken back too.
        this.note({ files: taken.toSorted(byPath), rejections });
      }
      return outside;
    });
  }

  /**
   * Takes the last decision back, and gives the first file it was about; undefined when there is none. What can't be taken
   * back can be tried again.
   */
  undo(): Promise<DecidedFile | undefined> {
    return this.ledger.run(async () => {
      const { decided } = this.ledger;
      const last = decided.at(-1);
      if (!last) return undefined;
      const steps: Undoing[] = [];
      for (const step of last.files) steps.push(await this.undoing(step));
      const left = new Set(last.files);
      try {
        const ordered = inPutOrder(steps, ({ path, back }) => ({ path, to: back.now }));
        await putAll(ordered, async ({ step, file, back }) => {
          await this.takeBack(file, step, back);
          left.delete(step);
        });
      } finally {
        decided.pop();
        const rejections = last.rejections.filter(({ path }) => [...left].some((one) => one.path === path));
        this.note({ files: [...left], rejections });
      }
      return last.files[0];
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

  private async undoing(step: DecidedFile): Promise<Undoing> {
    const { path, before, after } = step;
    const file = this.file(path);
    await this.ledger.refresh(file);
    const back = await review.undone(file.review, before, after);
    if (back) return { path, step, file, back };
    const message = `the same lines of ${path} were changed since; nothing was taken back`;
    throw new AcpError('file_error', message);
  }

  private async takeBack(file: Tracked, { done }: DecidedFile, back: FileReview): Promise<void> {
    await this.ledger.put(file, back);
    if (done === undefined) delete file.done;
    else file.done = done;
  }

  // What an agent says of such a file may be all that is known of it.
  private async outside(files: readonly Tracked[], decision: Decision): Promise<readonly string[]> {
    if (decision.verdict === 'keep' || decision.isOutsideToo) return [];
    const changed = files.filter((file) => review.isChanged(file.review, decision.scope));
    const places = await Promise.all(changed.map(({ path }) => this.ledger.holds(path)));
    return changed.filter((_, at) => !places[at]).map(({ path }) => path);
  }
}

function judged(file: FileReview, { verdict, scope, row }: Decision): FileReview {
  if (row === undefined) return verdict === 'keep' ? review.keepFile(file) : review.rejectFile(file, scope);
  const hunk = hunkNear(review.fileHunks(file, scope), row);
  return verdict === 'keep' ? review.keepHunk(file, hunk) : review.rejectHunk(file, scope, hunk);
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
