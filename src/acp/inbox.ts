import type { DataCallback, Message, MessageReader, MessageStrategy } from 'vscode-jsonrpc';

const highWater = 1_000;
const lowWater = 100;

interface Flow {
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
  private isBusy = false;
  private isPaused = false;
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
      dispose: () => reader.dispose(),
      listen: (callback) => {
        this.deliver = callback;
        return reader.listen((message) => this.accept(message));
      },
    };
  }

  handleMessage(message: Message, next: Parameters<MessageStrategy['handleMessage']>[1]) {
    // Those who wait for a response must see it before anything later is taken.
    setImmediate(() => {
      this.isBusy = false;
      this.drain();
    });
    return next(message);
  }

  private accept(message: Message): void {
    this.waiting.push(message);
    this.drain();
    if (this.isPaused || this.waiting.length - this.first < highWater) return;
    this.isPaused = true;
    this.flow.pause();
  }

  private drain(): void {
    while (!this.isBusy && this.first < this.waiting.length) this.dispatch(this.waiting[this.first++]!);
    this.forgetDispatched();
    if (!this.isPaused || this.waiting.length - this.first > lowWater) return;
    this.isPaused = false;
    this.flow.resume();
  }

  private dispatch(message: Message): void {
    if (this.take(message)) return;
    // A cancellation may be swallowed without ever being handled, so nobody waits for it.
    this.isBusy = (message as { method?: unknown }).method !== '$/cancelRequest';
    this.deliver(message);
  }

  private forgetDispatched(): void {
    if (this.first === this.waiting.length) this.waiting.length = 0;
    else if (this.first > highWater) this.waiting.splice(0, this.first);
    else return;
    this.first = 0;
  }
}
