import type { Disposable } from '../base/disposable.ts';
import type { SessionState } from '../model/session.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { HostOptions } from '../ports/options.ts';
import type { Session } from '../session/session.ts';

/** How often chats are looked at, as a part of the time after which agents are ended, and at most. */
const checks = { share: 1 / 4, leastMs: 50, mostMs: 60_000 };

interface IdleChat {
  readonly session: Session;
  isIdleFor(ms: number): boolean;
}

interface IdlePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly options: { get(): Pick<HostOptions, 'idleMinutes'> };
}

/** Ends agents that had nothing to do for some time, if an option says so. Their chats stay and start them again. */
export class IdleAgents implements Disposable {
  private readonly chats: { readonly all: readonly IdleChat[] };
  private readonly ports: IdlePorts;
  private watching: Disposable | undefined;

  constructor(chats: { readonly all: readonly IdleChat[] }, ports: IdlePorts) {
    this.chats = chats;
    this.ports = ports;
  }

  /** Begins again with the option as it is now. */
  watch(): void {
    this.dispose();
    const { clock, options } = this.ports;
    const idleMs = options.get().idleMinutes * 60_000;
    if (!(idleMs > 0)) return;
    const periodMs = Math.min(checks.mostMs, Math.max(checks.leastMs, idleMs * checks.share));
    this.watching = clock.every(periodMs, () => this.endIdle(idleMs));
  }

  dispose(): void {
    this.watching?.dispose();
    this.watching = undefined;
  }

  // A program is ended only if all chats that use it are idle; for one of them it would be started again.
  private endIdle(idleMs: number): void {
    for (const { session } of this.chats.all) {
      const users = this.chats.all.filter((other) => other.session.sharesAgentWith(session));
      if (users.length === 0 || !users.every((user) => user.isIdleFor(idleMs))) continue;
      for (const user of users) {
        user.session
          .rest()
          .catch((error: unknown) => this.ports.log.error('could not end an idle agent', error));
      }
    }
  }
}

/**
 * Whether nothing is lost when the agent is ended: nothing runs or waits, and the agent can continue the session, or
 * nothing was said in it.
 */
export function canRest(state: SessionState): boolean {
  const { phase, queue, questions, awaitedPages, entries, agent } = state;
  if (phase !== 'idle' || queue.length > 0 || questions.length > 0 || awaitedPages.length > 0) return false;
  if (isRunning(state)) return false;
  const isUsed = entries.some((entry) => entry.kind === 'message' && entry.role === 'user');
  return !isUsed || agent.capabilities?.load === true || agent.capabilities?.resume === true;
}

// Agents also work outside of turns.
function isRunning({ terminals, tools, compactions }: SessionState): boolean {
  return (
    [...terminals.values()].some(({ exit }) => exit === undefined) ||
    [...tools.values()].some(({ status }) => status === 'running' || status === 'pending') ||
    [...compactions.values()].some(({ status }) => status === 'running')
  );
}
