import type { DataCallback, Message, MessageReader, MessageStrategy } from 'vscode-jsonrpc';
import type { FlowControl } from '../transports/flow-control.ts';
import { wrapReader } from './message-filters.ts';

const highWater = 1_000;
const lowWater = 100;

/**
 * Handles messages in the order in which the agent sent them. vscode-jsonrpc spends an event-loop turn on each message
 * and gets the next one only when it has finished with the last. `tryHandle` handles frequent messages without it; it is
 * called immediately when the queue is empty, otherwise when the message is next.
 */
export class OrderedQueue implements MessageStrategy {
  private readonly waiting: Message[] = [];
  private first = 0;
  /** The message that vscode-jsonrpc is handling. */
  private current: Message | undefined;
  private isPaused = false;
  private isHeld = false;
  private isClosed = false;
  private hasEnded = false;
  private deliver: DataCallback = () => undefined;
  private readonly tryHandle: (message: Message) => boolean;
  private readonly flow: FlowControl;

  constructor(tryHandle: (message: Message) => boolean, flow: FlowControl) {
    this.tryHandle = tryHandle;
    this.flow = flow;
  }

  /** A reader that delivers the messages of another one through this queue. */
  readFrom(reader: MessageReader): MessageReader {
    const listen = (callback: DataCallback) => {
      this.deliver = callback;
      return reader.listen((message) => this.accept(message));
    };
    return wrapReader(reader, listen, () => {
      this.close();
      reader.dispose();
    });
  }

  handleMessage(message: Message, next: Parameters<MessageStrategy['handleMessage']>[1]) {
    // A caller that awaits a response must see it before any later message is handled.
    setImmediate(() => this.finish(message));
    return next(message);
  }

  /** Delivers nothing until `release()`. */
  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    this.drain();
  }

  /**
   * The agent has ended. Resolves when every message that was read until now has been delivered, except for requests,
   * because nobody reads the answers.
   */
  async drained(): Promise<void> {
    this.hasEnded = true;
    this.release();
    while (this.current || this.first < this.waiting.length) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  // A paused agent could not finish its last write and exit.
  private close(): void {
    this.isClosed = true;
    this.current = undefined;
    this.waiting.length = 0;
    this.first = 0;
    if (this.isPaused) this.flow.resume();
  }

  private finish(message: Message): void {
    if (this.current !== message) return;
    this.current = undefined;
    this.drain();
  }

  private accept(message: Message): void {
    if (this.isClosed) return;
    if (!this.current && !this.isHeld && this.waiting.length === 0) return this.dispatch(message);
    this.waiting.push(message);
    this.drain();
    if (this.isPaused || (!this.isHeld && this.waiting.length - this.first < highWater)) return;
    this.isPaused = true;
    this.flow.pause();
  }

  private drain(): void {
    while (!this.current && !this.isHeld && this.first < this.waiting.length)
      this.dispatch(this.waiting[this.first++]!);
    this.dropDispatched();
    if (!this.isPaused || this.isHeld || this.waiting.length - this.first > lowWater) return;
    this.isPaused = false;
    this.flow.resume();
  }

  private dispatch(message: Message): void {
    if (this.hasEnded && isRequest(message)) return;
    if (this.tryHandle(message)) return;
    // vscode-jsonrpc may drop a cancellation without calling `handleMessage`, so the queue does not wait for it.
    const isCancellation = (message as { method?: unknown }).method === '$/cancelRequest';
    this.current = isCancellation ? undefined : message;
    this.deliver(message);
  }

  private dropDispatched(): void {
    if (this.first === this.waiting.length) this.waiting.length = 0;
    else if (this.first > highWater) this.waiting.splice(0, this.first);
    else return;
    this.first = 0;
  }
}

function isRequest(message: Message): boolean {
  const { method, id } = message as { method?: unknown; id?: unknown };
  return method !== undefined && id !== undefined;
}
