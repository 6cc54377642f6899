import type { Message, MessageReader, MessageWriter } from 'vscode-jsonrpc';

/** A stage between the wire and JSON-RPC. It returns a message that it does not change as the same object. */
export interface MessageFilter {
  /** The messages that replace an incoming one: usually one, none to drop it. */
  inbound(message: unknown): readonly unknown[];
  outbound(message: unknown): unknown;
}

type OnFilterError = (error: unknown) => void;

/**
 * Passes every incoming message through the filters, the first of which is nearest to the wire. A filter that throws is
 * skipped for that message: nobody would catch the error, and it would end the host.
 */
export function filterReader(
  reader: MessageReader,
  filters: readonly MessageFilter[],
  onError: OnFilterError,
): MessageReader {
  const pass = (message: Message, index: number, deliver: (message: Message) => void) => {
    const filter = filters[index];
    if (!filter) return deliver(message);
    for (const filtered of applyInbound(filter, message, onError)) {
      if (typeof filtered === 'object' && filtered !== null) pass(filtered as Message, index + 1, deliver);
    }
  };
  return wrapReader(reader, (callback) => reader.listen((message) => pass(message, 0, callback)));
}

/** Passes every outgoing message through the same filters in the opposite order. */
export function filterWriter(writer: MessageWriter, filters: readonly MessageFilter[]): MessageWriter {
  return wrapWriter(writer, (message) =>
    writer.write(filters.reduceRight<unknown>((kept, filter) => filter.outbound(kept), message) as Message),
  );
}

export function wrapReader(
  reader: MessageReader,
  listen: MessageReader['listen'],
  dispose = () => reader.dispose(),
): MessageReader {
  const { onError, onClose, onPartialMessage } = reader;
  return { onError, onClose, onPartialMessage, listen, dispose };
}

export function wrapWriter(writer: MessageWriter, write: MessageWriter['write']): MessageWriter {
  const { onError, onClose } = writer;
  return { onError, onClose, write, end: () => writer.end(), dispose: () => writer.dispose() };
}

function applyInbound(filter: MessageFilter, message: Message, onError: OnFilterError): readonly unknown[] {
  try {
    return filter.inbound(message);
  } catch (error) {
    onError(error);
    return [message];
  }
}
