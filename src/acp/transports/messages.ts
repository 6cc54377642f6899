import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc';
import { cutDepth } from '../../base.ts';

/** Reads messages that come whole. */
export class MessageSource extends AbstractMessageReader implements MessageReader {
  private callback: DataCallback = () => undefined;

  listen(callback: DataCallback): Disposable {
    this.callback = callback;
    return {
      dispose: () => {
        this.callback = () => undefined;
      },
    };
  }

  push(message: Message): void {
    cutDepth(message);
    this.callback(message);
  }

  close(): void {
    this.fireClose();
  }
}

/** Writes messages that go whole. */
export class MessageSink extends AbstractMessageWriter implements MessageWriter {
  readonly write: (message: Message) => Promise<void>;

  constructor(write: (message: Message) => Promise<void>) {
    super();
    this.write = write;
  }

  end(): void {}
}
