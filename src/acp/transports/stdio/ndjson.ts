import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc';
import { parseJson } from '../../../base/json.ts';
import { isRecord } from '../../../base/record.ts';
import { shorten } from '../../../base/text.ts';
import type { Log } from '../../../ports/log.ts';
import { keepExactId, messageText } from '../exact-ids.ts';
import { LineSplitter, type SplitterEvents, type TextSplitter } from './line-splitter.ts';

const maxLoggedText = 500;

/** Reads one JSON message per line. Invalid lines are reported, never answered. */
export class NdjsonReader extends AbstractMessageReader implements MessageReader {
  private readonly stream: Readable;
  private readonly onInvalidMessage: (line: string) => void;

  constructor(stream: Readable, onInvalidMessage: (line: string) => void) {
    super();
    this.stream = stream;
    this.onInvalidMessage = onInvalidMessage;
  }

  listen(callback: DataCallback): Disposable {
    const lines = this.createSplitter({
      onLine: (line) => this.readLine(line, callback),
      onLines: (lines) => this.readLines(lines, callback),
      onOverflow: (bytes) => this.onInvalidMessage(`(skipped a line of ${bytes} bytes)`),
    });
    const onData = (chunk: Buffer) => {
      lines.push(chunk);
      this.yieldToEventLoop();
    };
    const onEnd = () => {
      this.readLine(lines.end(), callback);
      this.fireClose();
    };
    const onError = (error: Error) => this.fireError(error);
    this.stream.on('data', onData).once('end', onEnd).once('error', onError);
    return { dispose: () => this.stream.off('data', onData).off('end', onEnd).off('error', onError) };
  }

  protected createSplitter(events: SplitterEvents): TextSplitter {
    return new LineSplitter(events);
  }

  protected readLines(lines: string, callback: DataCallback): void {
    for (const line of lines.split('\n')) this.readLine(line, callback);
  }

  // Node reads up to 2 MB before it returns to the event loop. Drawing a frame and the user's cancel must not wait
  // that long.
  private yieldToEventLoop(): void {
    if (this.stream.isPaused()) return;
    this.stream.pause();
    setImmediate(() => this.stream.resume());
  }

  protected readLine(line: string, callback: DataCallback): void {
    const text = line.trim();
    if (text === '') return;
    const message = parseMessage(text);
    if (message) callback(message);
    else this.onInvalidMessage(line);
  }
}

/** Writes one JSON message per line, in order, and waits while the other side does not read. */
export class NdjsonWriter extends AbstractMessageWriter implements MessageWriter {
  private readonly stream: Writable;
  private tail: Promise<void> = Promise.resolve();

  constructor(stream: Writable) {
    super();
    this.stream = stream;
    stream.once('close', () => this.fireClose());
    stream.on('error', (error) => this.fireError(error));
  }

  write(message: Message): Promise<void> {
    const written = this.tail.then(() => this.writeLine(message));
    // A failed write must not fail the next one.
    this.tail = written.catch(() => undefined);
    return written;
  }

  end(): void {
    this.stream.end();
  }

  protected frame(text: string): string {
    return `${text}\n`;
  }

  // Does not reject on a closed pipe: the reader reports the end of the agent with its reason.
  private async writeLine(message: Message): Promise<void> {
    if (this.stream.destroyed || this.stream.writableEnded) return;
    const hasRoom = this.stream.write(this.frame(messageText(message)));
    if (hasRoom) return;
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    this.stream.once('close', stop);
    await once(this.stream, 'drain', { signal: stopped.signal }).catch(() => undefined);
    this.stream.off('close', stop);
  }
}

/** Parses a message or a batch; undefined if the text is neither. */
export function parseMessage(text: string): Message | undefined {
  try {
    const value = parseJson(text);
    const isBatch = Array.isArray(value) && value.length > 0 && value.every(isRecord);
    if (!isRecord(value) && !isBatch) return undefined;
    keepExactId(value, text);
    return value as unknown as Message;
  } catch {
    return undefined;
  }
}

/** Creates a function that logs text from an agent that is not a message. */
export function invalidMessageLogger(log: Log, source: string): (text: string) => void {
  return (text) => log.warn(`not JSON-RPC on ${source}: ${shorten(text, maxLoggedText)}`);
}
