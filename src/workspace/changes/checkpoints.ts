import fs from 'node:fs/promises';
import { AcpError, messageOf } from '../../base/errors.ts';
import { type FileContent, sameContent, withoutLastLineEnding } from '../files/file-content.ts';
import type { OtherChange } from '../files/file-record.ts';
import type { UnwatchedPath } from '../snapshots/snapshot-store.ts';
import { isUnread } from '../snapshots/stored-content.ts';
import type { Ledger } from './ledger.ts';
import { inPutOrder, putAll } from './put-all.ts';
import { userWrote } from './review/file-review.ts';
import { withUnsaved } from './review/unsaved-text.ts';
import type { Checkpoint, ReviewState } from './types.ts';

/** A file that a restore would change. */
export interface Restorable {
  readonly path: string;
  readonly now: FileContent;
  readonly old: FileContent;
  /** The content on disk, if the restored buffer is to have unsaved text. */
  readonly saved?: FileContent | undefined;
  /** Who else has changed the file since the checkpoint; unsaved text is the user's. */
  readonly changedBy: OtherChange['by'] | undefined;
}

/** What a restore would change, and what it can't restore. */
export interface RestorePlan {
  readonly files: readonly Restorable[];
  readonly impossible: readonly UnwatchedPath[];
}

export interface Restored {
  readonly files: readonly string[];
  /** Changed by others since, and therefore left as it is. */
  readonly left: readonly string[];
  readonly impossible: readonly UnwatchedPath[];
}

interface CheckpointSummary extends Checkpoint {
  /** How many files changed between this checkpoint and the next one. */
  readonly changed: number;
}

const notKept = 'was over 5 MB or not readable then, so its content was not kept';

type Known = Pick<Checkpoint, 'trees' | 'known'>;

/** Restores files to the state before a prompt. */
export class Checkpoints {
  private readonly ledger: Ledger;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** All checkpoints, the last first. */
  list(): Promise<readonly CheckpointSummary[]> {
    return this.ledger.run(async () => {
      const { checkpoints } = this.ledger;
      const trees = await this.ledger.scan();
      const known = new Map(this.ledger.files.all().map(({ path, disk }) => [path, disk]));
      const ends = [...checkpoints.slice(1), { trees, known }];
      const summaries = checkpoints.map(async (checkpoint, index) => {
        const changed = await this.between(checkpoint, ends[index]!);
        return { ...checkpoint, changed: changed.length };
      });
      return (await Promise.all(summaries)).reverse();
    });
  }

  plan(id: number): Promise<RestorePlan> {
    return this.ledger.run(() => this.planned(this.find(id)));
  }

  /** Restores files. Those that others have changed since are left as they are unless `isAll`. */
  restore(id: number, isAll: boolean): Promise<Restored> {
    return this.ledger.run(async () => {
      const target = this.find(id);
      const { files: planned, impossible } = await this.planned(target);
      const files = planned.filter(({ changedBy }) => isAll || changedBy === undefined);
      const left = planned.filter((file) => !files.includes(file)).map(({ path }) => path);
      if (files.length === 0) return { files: [], left, impossible };
      const checkpoint = await this.ledger.checkpoint(nameOf(target), 'restore');
      const done: string[] = [];
      const ordered = inPutOrder(files, ({ path, old }) => ({ path, to: old }));
      try {
        await putAll(ordered, async (file) => {
          const { path } = file;
          const left = await this.restoreFile(file, target);
          if (left) this.ledger.noteReview(checkpoint, path, left);
          done.push(path);
        });
      } finally {
        await this.ledger.scan();
        for (const path of done) this.ledger.files.forgetOtherChange(path);
      }
      return { files: done, left, impossible };
    });
  }

  /** The checkpoint that undoes the last restore. */
  get lastRestore(): number | undefined {
    return this.ledger.checkpoints.findLast(({ kind }) => kind === 'restore')?.id;
  }

  private find(id: number): Checkpoint {
    const found = this.ledger.checkpoints.find((checkpoint) => checkpoint.id === id);
    if (!found) throw new AcpError('not_found', `there is no checkpoint ${id}`);
    return found;
  }

  private async planned(target: Checkpoint): Promise<RestorePlan> {
    const trees = await this.ledger.scan();
    const changed = await this.ledger.changesBetween(target.trees, trees);
    const paths = [...new Set([...changed.map(({ path }) => path), ...target.known.keys()])];
    const plans = await Promise.all(paths.map((path) => this.tryPlan(path, target)));
    const missing = Object.keys(trees).filter((root) => target.trees[root] === undefined);
    const failed = [
      ...missing.map((path) => ({ path, reason: 'has no snapshot of that prompt' })),
      ...plans.filter((plan) => plan !== undefined && 'reason' in plan),
    ];
    const names = new Set(failed.map(({ path }) => path));
    return {
      files: plans.filter((plan) => plan !== undefined && 'now' in plan),
      impossible: [...failed, ...this.ledger.unwatched.filter(({ path }) => !names.has(path))],
    };
  }

  private async tryPlan(path: string, target: Checkpoint): Promise<Restorable | UnwatchedPath | undefined> {
    let reason = 'could not be read';
    const tried = await this.ledger.tryFile(path, async () => {
      try {
        return { plan: await this.planFor(path, target) };
      } catch (error) {
        reason = `could not be read: ${messageOf(error)}`;
        throw error;
      }
    });
    return tried ? tried.plan : { path, reason };
  }

  private async planFor(path: string, target: Checkpoint): Promise<Restorable | UnwatchedPath | undefined> {
    const disk = await this.ledger.contentAt(target, path);
    if (disk === undefined) return undefined;
    if (isUnread(disk)) return (await isFolder(path)) ? undefined : { path, reason: notKept };
    const tracked = await this.ledger.track(path);
    if (!tracked) return undefined;
    await this.ledger.files.refresh(tracked);
    const { now } = tracked.review;
    const other = this.ledger.files.otherChangeOf(path);
    const otherAuthor = other && other.at > target.at ? other.by : undefined;
    const unsaved = target.unsaved.get(path);
    const isOpen = unsaved !== undefined && (await this.ledger.isOpen(path));
    // Unsaved text without a buffer is restored only if the user has saved it since.
    const old = unsaved && (isOpen || otherAuthor === 'user') ? unsaved : disk;
    const isShown = sameContent(now, old);
    // The buffer may have the text of the checkpoint while the file is not deleted again.
    const isDeleted = isOpen && disk.kind === 'none' && tracked.disk.kind !== 'none';
    if (isShown && !isDeleted) return undefined;
    const expected = await withUnsaved(tracked.disk, disk, isOpen ? unsaved : undefined);
    const isTypedSince =
      !isShown && !sameContent(withoutLastLineEnding(now), withoutLastLineEnding(expected));
    return {
      ...{ path, now, old, changedBy: isTypedSince ? 'user' : otherAuthor },
      ...(isOpen && { saved: disk }),
    };
  }

  private async between(one: Known, other: Known): Promise<readonly string[]> {
    const noted = await this.ledger.changesBetween(one.trees, other.trees);
    const changed = noted.filter(({ isUnread }) => !isUnread).map(({ path }) => path);
    const apart = [...one.known].filter(([path, content]) => {
      const later = other.known.get(path);
      return later !== undefined && !sameContent(content, later);
    });
    return [...new Set([...changed, ...apart.map(([path]) => path)])];
  }

  /** Resolves with the review of the file before the restore. */
  private async restoreFile(planned: Restorable, target: Checkpoint): Promise<ReviewState | undefined> {
    const { path, old, saved } = planned;
    const tracked = await this.ledger.track(path);
    if (!tracked) return undefined;
    await this.ledger.files.refresh(tracked);
    if (!sameContent(tracked.review.now, planned.now)) await this.refuseTyped(planned, target);
    const { review, decision } = tracked;
    const then = target.reviews.get(path);
    const isSame = then !== undefined && sameContent(then.review.now, old);
    // A restore is a change of the user.
    const to = isSame ? then.review : userWrote(review, old);
    await this.ledger.files.put(tracked, to, { saved, decision: isSame ? then.decision : undefined });
    return { review, ...(decision !== undefined && { decision }) };
  }

  // A restore of many files takes a while, and the user has not agreed to lose what they type meanwhile. This holds
  // also for a user who agreed to lose earlier changes.
  private async refuseTyped({ path, changedBy }: Restorable, target: Checkpoint): Promise<void> {
    const now = await this.planFor(path, target);
    if (!now || 'reason' in now || (now.changedBy === changedBy && changedBy !== 'user')) return;
    throw new AcpError('file_error', `${path} was changed just now; try again`);
  }
}

// A repository inside of a folder has a snapshot of its own.
function isFolder(path: string): Promise<boolean> {
  return fs.lstat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

function nameOf({ kind, prompt }: Checkpoint): string {
  return kind === 'restore' ? 'before :AcpRestore undo' : `before restoring "${prompt}"`;
}
