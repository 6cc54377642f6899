import type { QueueRead } from '../../ports/files.ts';

/** More reads at once are not faster. */
const maxRunning = 16;

/** Lets a few reads run at once, and none while the agent has many answers to read: their texts would fill the memory. */
export class ReadGate {
  private running = 0;
  private isClosed = false;
  private readonly waiting: (() => void)[] = [];

  close(): void {
    this.isClosed = true;
  }

  open(): void {
    this.isClosed = false;
    this.startWaiting();
  }

  readonly queueRead: QueueRead = (read) => {
    if (this.hasRoom()) return this.start(read);
    return new Promise((resolve, reject) => {
      this.waiting.push(() => this.start(read).then(resolve, reject));
    });
  };

  private hasRoom(): boolean {
    return !this.isClosed && this.running < maxRunning;
  }

  private async start<T>(read: () => Promise<T>): Promise<T> {
    this.running += 1;
    try {
      return await read();
    } finally {
      this.running -= 1;
      // The answer is among those that wait to be written before the next read begins.
      setImmediate(() => this.startWaiting());
    }
  }

  private startWaiting(): void {
    while (this.hasRoom() && this.waiting.length > 0) this.waiting.shift()!();
  }
}
