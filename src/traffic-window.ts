import type { Disposable } from './base.ts';
import type { Clock, Editor, Log } from './ports/host.ts';
import type { Traffic, TrafficEntry, TrafficWatcher } from './ports/wire.ts';
import { redactMessage } from './redact-message.ts';
import { TrafficText } from './view/traffic.ts';

const maxBatch = 200;
const maxBatchBytes = 256 * 1024;
const batchMs = 30;

export interface TrafficPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shows the messages of a connection in a window of Neovim, at Neovim's own pace. */
export class TrafficWindow implements TrafficWatcher, Disposable {
  readonly traffic: Traffic;
  private readonly chat: number;
  private readonly ports: TrafficPorts;
  private readonly onGone: () => void;
  private readonly watching: Disposable;
  private readonly text = new TrafficText();
  private timer: Disposable | undefined;
  /** The number of the first message that was not sent yet. */
  private next = 0;
  private isNew = true;
  private isSending = false;
  private isDisposed = false;

  constructor(chat: number, traffic: Traffic, ports: TrafficPorts, onGone: () => void) {
    this.chat = chat;
    this.traffic = traffic;
    this.ports = ports;
    this.onGone = onGone;
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
      void this.send();
    });
  }

  private async send(): Promise<void> {
    this.isSending = true;
    try {
      const answer = await this.ports.editor.call('traffic.add', this.batch());
      if (answer !== 'shown') this.onGone();
    } catch (error) {
      this.ports.log.error('messages were not shown', error);
      this.onGone();
    }
    this.isSending = false;
    if (this.traffic.since(this.next, 1).length > 0) this.schedule(batchMs);
  }

  // In a flood Neovim is sent less than there is; what is dropped meanwhile is counted.
  private batch(): object {
    const { oldest } = this.traffic;
    const missed = Math.max(0, oldest - this.next);
    const entries = fitting(this.traffic.since(this.next, maxBatch));
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

// At least one, however big.
function fitting(entries: readonly TrafficEntry[]): readonly TrafficEntry[] {
  let bytes = 0;
  const tooFar = entries.findIndex(({ size }) => {
    bytes += size;
    return bytes > maxBatchBytes;
  });
  return tooFar < 0 ? entries : entries.slice(0, Math.max(1, tooFar));
}
