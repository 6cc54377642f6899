import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc';
import type { AcpError } from '../../../base/errors.ts';
import { cutDepth } from '../../../base/json.ts';

/** Reads messages that arrive whole, until it is ended with a reason. */
export class WholeMessageReader extends AbstractMessageReader implements MessageReader {
  /** Resolves with the first reason that `end` was called with. */
  readonly ended: Promise<AcpError>;
  private callback: DataCallback = () => undefined;
  private resolveEnded!: (reason: AcpError) => void;
  private isEnded = false;

  constructor() {
    super();
    this.ended = new Promise((resolve) => {
      this.resolveEnded = resolve;
    });
  }

  listen(callback: DataCallback): Disposable {
    this.callback = callback;
    return {
      dispose: () => {
        this.callback = () => undefined;
      },
    };
  }

  /** Ignored after the end. */
  push(message: Message): void {
    if (this.isEnded) return;
    cutDepth(message);
    this.callback(message);
  }

  end(reason: AcpError): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.resolveEnded(reason);
    this.fireClose();
  }
}

/** Writes each message as a whole through a function. */
export class WholeMessageWriter extends AbstractMessageWriter implements MessageWriter {
  readonly write: (message: Message) => Promise<void>;

  constructor(write: (message: Message) => Promise<void>) {
    super();
    this.write = write;
  }

  end(): void {}
}
