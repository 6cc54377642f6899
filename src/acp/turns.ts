import type { Disposable } from '../base.ts';

// An agent that says that its turn is over mostly answers the prompt right after.
const graceMs = 200;

interface Turn extends Disposable {
  /** Resolves when the agent said that the turn is over and did not answer the prompt soon after. */
  readonly isOver: Promise<void>;
}

/** The turns under way, for agents that end them by a notification. */
export class Turns {
  private readonly ends = new Map<string, () => void>();

  begin(sessionId: string): Turn {
    let timer: NodeJS.Timeout | undefined;
    let announce = () => {};
    const isOver = new Promise<void>((resolve) => {
      announce = () => {
        timer ??= setTimeout(resolve, graceMs);
      };
    });
    this.ends.set(sessionId, announce);
    return {
      isOver,
      dispose: () => {
        clearTimeout(timer);
        if (this.ends.get(sessionId) === announce) this.ends.delete(sessionId);
      },
    };
  }

  announceEnd(sessionId: string): void {
    this.ends.get(sessionId)?.();
  }
}
