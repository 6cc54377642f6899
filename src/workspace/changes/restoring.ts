import { AcpError } from '../../errors.ts';
import { merge, mergedLines } from '../merge.ts';
import { linesIn, type Side, sameSide, userWrote } from './file-review.ts';
import type { Ledger } from './ledger.ts';
import { inPutOrder, putAll } from './put-all.ts';
import { isHuge } from './sides.ts';
import type { Checkpoint, ReviewState, Touch } from './tracked.ts';

/** A file that would be put back. */
export interface Restorable {
  readonly path: string;
  readonly now: Side;
  readonly old: Side;
  /** What it would be on disk, if unsaved text of the user is to be in its buffer again. */
  readonly saved?: Side | undefined;
  /** Who else has changed it since; unsaved text is the user's. */
  readonly changedBy: Touch['by'] | undefined;
}

export interface CheckpointSummary extends Checkpoint {
  /** How many files were changed from then until the next one. */
  readonly changed: number;
}

type Known = Pick<Checkpoint, 'trees' | 'known'>;

/** Goes back to what the files were before a prompt. */
export class Restoring {
  private readonly ledger: Ledger;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** All there is to go back to, the last first. */
  list(): Promise<readonly CheckpointSummary[]> {
    return this.ledger.run(async () => {
      const { checkpoints } = this.ledger;
      const trees = await this.ledger.look();
      const known = new Map([...this.ledger.files.values()].map(({ path, disk }) => [path, disk]));
      const ends = [...checkpoints.slice(1), { trees, known }];
      const summaries = checkpoints.map(async (checkpoint, index) => {
        const changed = await this.between(checkpoint, ends[index]!);
        return { ...checkpoint, changed: changed.length };
      });
      return (await Promise.all(summaries)).reverse();
    });
  }

  /** What going back would change. */
  plan(id: number): Promise<readonly Restorable[]> {
    return this.ledger.run(() => this.planned(this.find(id)));
  }

  /** Goes back, and gives the files that were put back. What others changed since is left alone unless the user agreed. */
  restore(id: number, isAll: boolean): Promise<readonly string[]> {
    return this.ledger.run(async () => {
      const target = this.find(id);
      const planned = await this.planned(target);
      const files = planned.filter(({ changedBy }) => isAll || changedBy === undefined);
      if (files.length === 0) return [];
      const { reviews } = await this.ledger.checkpoint(nameOf(target), 'restore');
      const done: string[] = [];
      const ordered = inPutOrder(files, ({ path, old }) => ({ path, to: old }));
      try {
        await putAll(ordered, async (file) => {
          const { path } = file;
          const left = await this.putBack(file, target.reviews.get(path));
          if (left) reviews.set(path, left);
          done.push(path);
        });
      } finally {
        await this.ledger.look();
        // What we put back is nobody's own change.
        for (const path of done) this.ledger.touches.delete(path);
      }
      return done;
    });
  }

  /** What it is not known of whether it has to be put back. */
  get unwatched(): Ledger['unwatched'] {
    return this.ledger.unwatched;
  }

  /** Where to go to undo the last restore. */
  get lastRestore(): number | undefined {
    return this.ledger.checkpoints.findLast(({ kind }) => kind === 'restore')?.id;
  }

  private find(id: number): Checkpoint {
    const found = this.ledger.checkpoints.find((checkpoint) => checkpoint.id === id);
    if (!found) throw new AcpError('not_found', `there is no checkpoint ${id}`);
    return found;
  }

  private async planned(target: Checkpoint): Promise<readonly Restorable[]> {
    const trees = await this.ledger.look();
    const changed = await this.ledger.folders.changes(target.trees, trees);
    const noted = changed.filter(({ isUnread }) => !isUnread).map(({ path }) => path);
    const paths = new Set([...noted, ...target.known.keys()]);
    const plans = await Promise.all(
      [...paths].map((path) => this.ledger.attempt(path, () => this.planFor(path, target))),
    );
    return plans.filter((plan): plan is Restorable => plan !== undefined);
  }

  private async planFor(path: string, target: Checkpoint): Promise<Restorable | undefined> {
    const disk = await this.ledger.sideAt(target, path);
    if (disk === undefined || isHuge(disk)) return undefined;
    const tracked = await this.ledger.track(path);
    if (!tracked) return undefined;
    await this.ledger.refresh(tracked);
    const { now } = tracked.review;
    const touch = this.ledger.touches.get(path);
    const touchedBy = touch && touch.at > target.at ? touch.by : undefined;
    const unsaved = target.unsaved.get(path);
    const isOpen = unsaved !== undefined && (await this.ledger.isOpen(path));
    // What was unsaved and is in no buffer any more is there only if the user has saved it.
    const old = unsaved && (isOpen || touchedBy === 'user') ? unsaved : disk;
    if (sameSide(now, old)) return undefined;
    const isTypedSince = !sameSide(
      now,
      await this.withUnsaved(tracked.disk, disk, isOpen ? unsaved : undefined),
    );
    return {
      ...{ path, now, old, changedBy: isTypedSince ? 'user' : touchedBy },
      ...(isOpen && { saved: disk }),
    };
  }

  /** What the user would see of a file if they had typed nothing since text in it was unsaved. */
  private async withUnsaved(now: Side, then: Side, unsaved: Side | undefined): Promise<Side> {
    if (!unsaved || now.kind === 'binary' || then.kind === 'binary') return now;
    const lines = mergedLines(await merge(linesIn(now), linesIn(then), linesIn(unsaved)));
    return lines ? { ...unsaved, ...now, kind: 'text', lines } : now;
  }

  private async between(one: Known, other: Known): Promise<readonly string[]> {
    const noted = await this.ledger.folders.changes(one.trees, other.trees);
    const changed = noted.filter(({ isUnread }) => !isUnread).map(({ path }) => path);
    const apart = [...one.known].filter(([path, side]) => {
      const later = other.known.get(path);
      return later !== undefined && !sameSide(side, later);
    });
    return [...new Set([...changed, ...apart.map(([path]) => path)])];
  }

  /** Gives how the file was reviewed before. */
  private async putBack(
    { path, old, saved }: Restorable,
    then?: ReviewState,
  ): Promise<ReviewState | undefined> {
    const tracked = await this.ledger.track(path);
    if (!tracked) return undefined;
    await this.ledger.refresh(tracked);
    const { review, done } = tracked;
    const isSame = then !== undefined && sameSide(then.review.now, old);
    // Whoever goes back changes the file, and not the agent.
    await this.ledger.put(tracked, isSame ? then.review : userWrote(review, old), saved);
    delete tracked.done;
    if (isSame && then.done !== undefined) tracked.done = then.done;
    return { review, ...(done !== undefined && { done }) };
  }
}

function nameOf({ kind, prompt }: Checkpoint): string {
  return kind === 'restore' ? 'before :AcpRestore undo' : `before going back to "${prompt}"`;
}
