import type { Message, MessageReader, MessageWriter } from 'vscode-jsonrpc';

/** Stands between the wire and us; what it does not change it gives back as the very same object. */
export interface Translator {
  inbound(message: unknown): readonly unknown[];
  outbound(message: unknown): unknown;
}

/** A reader whose messages are canonical, whatever the agent speaks. */
export function readingDialects(reader: MessageReader, dialects: Translator): MessageReader {
  return {
    onError: reader.onError,
    onClose: reader.onClose,
    onPartialMessage: reader.onPartialMessage,
    dispose: () => reader.dispose(),
    listen: (callback) =>
      reader.listen((message) => {
        for (const canonical of dialects.inbound(message)) {
          if (typeof canonical === 'object' && canonical !== null) callback(canonical as Message);
        }
      }),
  };
}

/** A writer that answers in the dialect it was asked in. */
export function writingDialects(writer: MessageWriter, dialects: Translator): MessageWriter {
  return {
    onError: writer.onError,
    onClose: writer.onClose,
    write: (message) => writer.write(dialects.outbound(message) as Message),
    end: () => writer.end(),
    dispose: () => writer.dispose(),
  };
}
