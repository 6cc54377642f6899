import { sleep } from '../base/timeout.ts';
import { findMarkedProcesses, hasMark } from './marked-processes.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { signalGroup } from './process-group.ts';

const pollMs = 20;

/** The process group of a started program, and the processes that have left it but have its mark in their environment. */
export class MarkedGroup {
  private readonly pid: number;
  private readonly mark: string;
  private readonly orphanGuard: OrphanGuard;
  private isGroupEmpty = false;
  private hasLeaderExited = false;
  /** The marked processes when /proc was last read. */
  private leftGroup: readonly number[] = [];

  constructor(pid: number, mark: string, orphanGuard: OrphanGuard) {
    this.pid = pid;
    this.mark = mark;
    this.orphanGuard = orphanGuard;
    orphanGuard.add(pid, mark);
  }

  /** The started program has exited. If its group is empty now, its id may soon belong to another group. */
  noteLeaderExit(): void {
    this.hasLeaderExited = true;
    this.isGroupEmpty = !signalGroup(this.pid, 0);
  }

  /** Signals every process; true if all of them exit in time. */
  async signalAndWait(signal: NodeJS.Signals, patienceMs: number): Promise<boolean> {
    if (await this.isEmpty()) return true;
    if (!this.isGroupEmpty) signalGroup(this.pid, signal);
    await this.findMarked(signal);
    for (const end = performance.now() + patienceMs; performance.now() < end; ) {
      await sleep(pollMs);
      if (await this.isEmpty(signal)) return true;
    }
    return false;
  }

  /** Whether all processes have exited. Marked processes found outside of the group get the signal. */
  async isEmpty(signal?: NodeJS.Signals): Promise<boolean> {
    if (!this.isGroupEmpty && signalGroup(this.pid, 0)) return false;
    if (!this.hasLeaderExited) return false;
    // Reading all of /proc is expensive: do it only when the known processes have exited.
    const known = await Promise.all(this.leftGroup.map((pid) => hasMark(pid, this.mark)));
    if (known.includes(true)) return false;
    await this.findMarked(signal);
    return this.leftGroup.length === 0;
  }

  release(): void {
    this.orphanGuard.remove(this.pid);
  }

  private async findMarked(signal: NodeJS.Signals | undefined): Promise<void> {
    this.leftGroup = await findMarkedProcesses(this.mark);
    if (signal) for (const pid of this.leftGroup) signalProcess(pid, signal);
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited already.
  }
}
