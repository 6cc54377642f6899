import type { Log } from '../../ports/log.ts';
import type { Snapshot } from '../snapshots/snapshot-store.ts';
import type { ChangedFile, Snapshots } from '../snapshots/snapshots.ts';

/** Finds the files that have changed in the folders of a session since the last scan. */
export class FolderScan {
  /** What the next scan is compared with. */
  last: Snapshot | undefined;
  readonly snapshots: Snapshots;
  private readonly log: Log;
  /** The failures that are in the log already. */
  private readonly logged = new Set<string>();

  constructor(snapshots: Snapshots, log: Log) {
    this.snapshots = snapshots;
    this.log = log;
  }

  /** Takes a snapshot and calls `apply` with what has changed before the next scan is compared with that snapshot. */
  async run(apply: (changes: readonly ChangedFile[]) => Promise<void>): Promise<Snapshot> {
    const before = this.last;
    const taken = await this.snapshots.take();
    this.logFailures();
    await apply(before ? await this.snapshots.changes(before, taken) : []);
    // A folder that could not be read is compared with its last snapshot the next time.
    this.last = { ...before, ...taken };
    return taken;
  }

  private logFailures(): void {
    for (const { path, reason } of this.snapshots.unwatched) {
      const failure = `${path} is not watched: ${reason}`;
      if (!this.logged.has(failure)) this.log.error(failure);
      this.logged.add(failure);
    }
  }
}
