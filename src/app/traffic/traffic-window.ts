import type { Disposable } from '../../base/disposable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { EditorOperations } from '../../ports/editor-operations.ts';
import type { Log } from '../../ports/log.ts';
import type { Traffic, TrafficEntry, TrafficWatcher } from '../../ports/traffic.ts';
import { redactMessage } from '../../system/redact.ts';
import { TrafficFormatter } from '../../view/traffic.ts';

const maxBatch = 200;
const maxBatchBytes = 256 * 1024;
const batchMs = 30;

export interface TrafficPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shows the messages of a connection in a window. The next batch is sent when Neovim has drawn the last one. */
export class TrafficWindow implements TrafficWatcher, Disposable {
  readonly traffic: Traffic;
  private readonly chat: number;
  private readonly ports: TrafficPorts;
  private readonly onClosed: () => void;
  private readonly watching: Disposable;
  private readonly text = new TrafficFormatter();
  private timer: Disposable | undefined;
  /** The number of the next message to send. */
  private next = 0;
  private isNew = true;
  private isSending = false;
  private isDisposed = false;

  constructor(chat: number, traffic: Traffic, ports: TrafficPorts, onGone: () => void) {
    this.chat = chat;
    this.traffic = traffic;
    this.ports = ports;
    this.onClosed = onGone;
    this.watching = traffic.watch(this);
    this.schedule(0);
  }

  onEntry(): void {
    this.schedule(batchMs);
  }

  onEnd(): void {}

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
    this.watching.dispose();
  }

  private schedule(ms: number): void {
    if (this.timer || this.isSending || this.isDisposed) return;
    this.timer = this.ports.clock.after(ms, () => {
      this.timer = undefined;
      void this.send(); // It logs its failures.
    });
  }

  private async send(): Promise<void> {
    this.isSending = true;
    try {
      const answer = await this.ports.editor.call('traffic.add', this.batch());
      if (answer !== 'shown') this.onClosed();
    } catch (error) {
      this.ports.log.error('could not show the traffic', error);
      this.onClosed();
    }
    this.isSending = false;
    if (this.traffic.since(this.next, 1).length > 0) this.schedule(batchMs);
  }

  // Under load, messages are dropped before they are sent; `missed` counts them.
  private batch(): EditorOperations['traffic.add']['payload'] {
    const { oldest } = this.traffic;
    const missed = Math.max(0, oldest - this.next);
    const entries = firstBatch(this.traffic.since(this.next, maxBatch));
    const isNew = this.isNew;
    this.isNew = false;
    this.next = (entries.at(-1)?.number ?? this.next - 1) + 1;
    const lines = entries.map((entry) => ({
      number: entry.number,
      text: this.text.heading({ ...entry, message: redactMessage(entry.message) }),
    }));
    return { chat: this.chat, isNew, oldest, missed, lines };
  }
}

// At least one message, even if it exceeds the limit.
function firstBatch(entries: readonly TrafficEntry[]): readonly TrafficEntry[] {
  let bytes = 0;
  const tooFar = entries.findIndex(({ size }) => {
    bytes += size;
    return bytes > maxBatchBytes;
  });
  return tooFar < 0 ? entries : entries.slice(0, Math.max(1, tooFar));
}
