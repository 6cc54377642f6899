import type { Disposable } from '../../base/disposable.ts';

// Most agents that announce the end of a turn answer the prompt right after.
const graceMs = 500;

interface Turn extends Disposable {
  /** Resolves when the agent has announced the end of the turn and not answered the prompt soon after. */
  readonly ended: Promise<void>;
}

/** The running turns, for agents that end a turn by a notification. */
export class TurnEnds {
  private readonly announcers = new Map<string, () => void>();

  begin(sessionId: string): Turn {
    let timer: NodeJS.Timeout | undefined;
    let announce = () => {};
    const ended = new Promise<void>((resolve) => {
      announce = () => {
        // An answer that has arrived meanwhile is read first.
        timer ??= setTimeout(() => setImmediate(resolve), graceMs);
      };
    });
    this.announcers.set(sessionId, announce);
    return {
      ended,
      dispose: () => {
        clearTimeout(timer);
        if (this.announcers.get(sessionId) === announce) this.announcers.delete(sessionId);
      },
    };
  }

  announceEnd(sessionId: string): void {
    this.announcers.get(sessionId)?.();
  }
}
