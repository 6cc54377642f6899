import { setTimeout as delay } from 'node:timers/promises';
import { type Leash, signalGroup } from './processes.ts';
import { carries, straysWith } from './strays.ts';

const pollMs = 20;

/**
 * The process group of a program that we started, and all that has left the group but has the program's mark in its
 * environment.
 */
export class MarkedGroup {
  private readonly pid: number;
  private readonly mark: string;
  private readonly leash: Leash;
  private isGroupEmpty = false;
  private hasLeaderExited = false;
  /** Those that had left the group when /proc was read last. */
  private strays: readonly number[] = [];

  constructor(pid: number, mark: string, leash: Leash) {
    this.pid = pid;
    this.mark = mark;
    this.leash = leash;
    leash.hold(pid, mark);
  }

  /** Its first process has ended. A group that is empty from then on can only become somebody else's. */
  leaderExited(): void {
    this.hasLeaderExited = true;
    this.isGroupEmpty = !signalGroup(this.pid, 0);
  }

  /** Signals everything in it; true when nothing is left of it after that time or before. */
  async endBy(signal: NodeJS.Signals, patienceMs: number): Promise<boolean> {
    if (await this.isEmpty()) return true;
    if (!this.isGroupEmpty) signalGroup(this.pid, signal);
    await this.findStrays(signal);
    for (const end = performance.now() + patienceMs; performance.now() < end; ) {
      await delay(pollMs);
      if (await this.isEmpty(signal)) return true;
    }
    return false;
  }

  /** Nothing of it is left. Those that are found outside of the group meanwhile are signalled. */
  async isEmpty(signal?: NodeJS.Signals): Promise<boolean> {
    if (!this.isGroupEmpty && signalGroup(this.pid, 0)) return false;
    if (!this.hasLeaderExited) return false;
    // To read the whole of /proc is expensive, so it is read again only when those that are known have gone.
    const known = await Promise.all(this.strays.map((pid) => carries(pid, this.mark)));
    if (known.includes(true)) return false;
    await this.findStrays(signal);
    return this.strays.length === 0;
  }

  release(): void {
    this.leash.release(this.pid);
  }

  private async findStrays(signal: NodeJS.Signals | undefined): Promise<void> {
    this.strays = await straysWith(this.mark);
    if (signal) for (const pid of this.strays) signalProcess(pid, signal);
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
