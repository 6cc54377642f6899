import type { DataCallback, Message, MessageReader, MessageStrategy } from 'vscode-jsonrpc';

const highWater = 1_000;
const lowWater = 100;

/** What comes in, as something that can be held up. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * Keeps the order of what an agent sends, and makes the frequent case cheap. vscode-jsonrpc spends an event-loop
 * turn on each message, so it gets one message at a time, and what `take` accepts (the session updates) goes around
 * it: at once when nothing waits before it, else in its place in the line.
 */
export class Inbox implements MessageStrategy {
  private readonly waiting: Message[] = [];
  private first = 0;
  /** What vscode-jsonrpc is busy with. */
  private current: Message | undefined;
  private isPaused = false;
  /** Nothing is handed on, because the answers to what was handed on are not taken. */
  private isHeld = false;
  private isClosed = false;
  private deliver: DataCallback = () => undefined;
  private readonly take: (message: Message) => boolean;
  private readonly flow: Flow;

  constructor(take: (message: Message) => boolean, flow: Flow) {
    this.take = take;
    this.flow = flow;
  }

  /** The same reader, with this line in between. */
  reading(reader: MessageReader): MessageReader {
    return {
      onError: reader.onError,
      onClose: reader.onClose,
      onPartialMessage: reader.onPartialMessage,
      dispose: () => {
        this.close();
        reader.dispose();
      },
      listen: (callback) => {
        this.deliver = callback;
        return reader.listen((message) => this.accept(message));
      },
    };
  }

  handleMessage(message: Message, next: Parameters<MessageStrategy['handleMessage']>[1]) {
    // Those who wait for a response must see it before anything later is taken.
    setImmediate(() => this.finish(message));
    return next(message);
  }

  /** Holds everything up that comes in, or lets it go on. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (!isHeld) this.drain();
  }

  /** Resolves when everything that was read until now was handed on. */
  async settled(): Promise<void> {
    this.hold(false);
    while (this.current || this.first < this.waiting.length) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  // What an agent still says when we have done with it reaches nobody, and nothing holds it up in saying it.
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
    this.forgetDispatched();
    if (!this.isPaused || this.isHeld || this.waiting.length - this.first > lowWater) return;
    this.isPaused = false;
    this.flow.resume();
  }

  private dispatch(message: Message): void {
    if (this.take(message)) return;
    // A cancellation may be swallowed without ever being handled, so nobody waits for it.
    const isCancellation = (message as { method?: unknown }).method === '$/cancelRequest';
    this.current = isCancellation ? undefined : message;
    this.deliver(message);
  }

  private forgetDispatched(): void {
    if (this.first === this.waiting.length) this.waiting.length = 0;
    else if (this.first > highWater) this.waiting.splice(0, this.first);
    else return;
    this.first = 0;
  }
}
