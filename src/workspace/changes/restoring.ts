import { AcpError } from '../../errors.ts';
import { type Side, sameSide } from './file-review.ts';
import type { Ledger } from './ledger.ts';
import type { Checkpoint } from './tracked.ts';

/** A file that would be put back. */
export interface Restorable {
  readonly path: string;
  readonly now: Side;
  readonly old: Side;
  /** The user has changed it since, or has unsaved text in it. */
  readonly isUsers: boolean;
}

export interface CheckpointSummary extends Checkpoint {
  /** How many files were changed from then until the next one. */
  readonly changed: number;
}

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
      const now = await this.ledger.look();
      const ends = [...checkpoints.slice(1).map(({ trees }) => trees), now];
      const summaries = checkpoints.map(async (checkpoint, index) => {
        const changed = await this.ledger.between(checkpoint.trees, ends[index]!);
        return { ...checkpoint, changed: changed.length };
      });
      return (await Promise.all(summaries)).reverse();
    });
  }

  /** What going back would change. */
  plan(id: number): Promise<readonly Restorable[]> {
    return this.ledger.run(() => this.planned(this.find(id)));
  }

  /** Goes back, and gives the files that were put back. What the user changed since is left alone unless they agreed. */
  restore(id: number, isAll: boolean): Promise<readonly string[]> {
    return this.ledger.run(async () => {
      const target = this.find(id);
      const planned = await this.planned(target);
      const files = planned.filter(({ isUsers }) => isAll || !isUsers);
      if (files.length === 0) return [];
      await this.ledger.checkpoint(`before going back to "${target.prompt}"`, 'restore');
      for (const { path, old } of files) await this.putBack(path, old);
      await this.ledger.look('user');
      // What we put back is no change of the user's own.
      for (const { path } of files) this.ledger.userAt.delete(path);
      return files.map(({ path }) => path);
    });
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
    const now = await this.ledger.look();
    const changed = await this.ledger.between(target.trees, now);
    const plans = await Promise.all(changed.map((path) => this.planFor(path, target)));
    return plans.filter((plan): plan is Restorable => plan !== undefined);
  }

  private async planFor(path: string, target: Checkpoint): Promise<Restorable | undefined> {
    const old = await this.ledger.sideAt(target, path);
    if (old === undefined) return undefined;
    const tracked = await this.ledger.track(path);
    if (!tracked) return undefined;
    await this.ledger.refresh(tracked);
    const { now } = tracked.review;
    if (sameSide(now, old)) return undefined;
    const isUnsaved = !sameSide(now, tracked.disk);
    const userAt = this.ledger.userAt.get(path) ?? Number.NEGATIVE_INFINITY;
    return { path, now, old, isUsers: isUnsaved || userAt > target.at };
  }

  private async putBack(path: string, old: Side): Promise<void> {
    const tracked = await this.ledger.track(path);
    if (!tracked) return;
    await this.ledger.refresh(tracked);
    const { review } = tracked;
    await this.ledger.put(tracked, { ...review, now: old });
  }
}
