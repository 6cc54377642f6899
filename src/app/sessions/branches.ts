import type { Clock } from '../../ports/clock.ts';
import { readBranch } from '../../workspace/git-branch.ts';

const freshMs = 5_000;

interface KnownBranch {
  readonly name: string | undefined;
  readonly at: number;
}

/** The git branches of folders, as they were at most a few seconds ago. */
export class Branches {
  private readonly clock: Clock;
  private readonly known = new Map<string, KnownBranch>();
  private readonly reading = new Set<string>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The branch as far as it is known; `onChange` is called when another one was read. */
  of(folder: string, onChange: () => void): string | undefined {
    const known = this.known.get(folder);
    // `readBranch` never rejects.
    if (!known || this.clock.elapsed() - known.at > freshMs) void this.read(folder, onChange);
    return known?.name;
  }

  /** Has them read again. */
  forget(): void {
    this.known.clear();
  }

  private async read(folder: string, onChange: () => void): Promise<void> {
    if (this.reading.has(folder)) return;
    this.reading.add(folder);
    const name = await readBranch(folder);
    this.reading.delete(folder);
    const isNew = this.known.get(folder)?.name !== name;
    this.known.set(folder, { name, at: this.clock.elapsed() });
    if (isNew) onChange();
  }
}
