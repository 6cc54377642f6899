import type { Message, MessageReader, MessageWriter } from 'vscode-jsonrpc';
import { isRecord } from '../../base.ts';
import type { Dialects } from './dialects.ts';

/** A reader whose messages are canonical, whatever the agent speaks. */
export function readingDialects(reader: MessageReader, dialects: Dialects): MessageReader {
  return {
    onError: reader.onError,
    onClose: reader.onClose,
    onPartialMessage: reader.onPartialMessage,
    dispose: () => reader.dispose(),
    listen: (callback) =>
      reader.listen((message) => {
        for (const canonical of dialects.inbound(message)) {
          if (isRecord(canonical)) callback(canonical as unknown as Message);
        }
      }),
  };
}

/** A writer that answers in the dialect it was asked in. */
export function writingDialects(writer: MessageWriter, dialects: Dialects): MessageWriter {
  return {
    onError: writer.onError,
    onClose: writer.onClose,
    write: (message) => writer.write(dialects.outbound(message) as Message),
    end: () => writer.end(),
    dispose: () => writer.dispose(),
  };
}
