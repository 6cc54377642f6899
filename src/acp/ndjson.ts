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
import { isRecord, parseJson } from '../base.ts';
import { LineSplitter, type LineSplitterEvents, type Splitter } from './line-splitter.ts';

/** Reads one JSON message a line. What is no message is noise: reported, never answered. */
export class NdjsonReader extends AbstractMessageReader implements MessageReader {
  private readonly stream: Readable;
  private readonly onNoise: (line: string) => void;

  constructor(stream: Readable, onNoise: (line: string) => void) {
    super();
    this.stream = stream;
    this.onNoise = onNoise;
  }

  listen(callback: DataCallback): Disposable {
    const lines = this.splitter({
      onLine: (line) => this.readLine(line, callback),
      onOverflow: (bytes) => this.onNoise(`(a line of ${bytes} bytes was left out)`),
    });
    const onData = (chunk: Buffer) => {
      lines.push(chunk);
      this.breathe();
    };
    const onEnd = () => {
      this.readLine(lines.end(), callback);
      this.fireClose();
    };
    const onError = (error: Error) => this.fireError(error);
    this.stream.on('data', onData).once('end', onEnd).once('error', onError);
    return { dispose: () => this.stream.off('data', onData).off('end', onEnd).off('error', onError) };
  }

  protected splitter(events: LineSplitterEvents): Splitter {
    return new LineSplitter(events);
  }

  // Node reads as long as there is something, for 2 MB at a time. What else there is to do must not wait so long: a
  // frame, or the user who wants to stop the flood.
  private breathe(): void {
    if (this.stream.isPaused()) return;
    this.stream.pause();
    setImmediate(() => this.stream.resume());
  }

  private readLine(line: string, callback: DataCallback): void {
    const text = line.trim();
    if (text === '') return;
    const message = messageFrom(text);
    if (message) callback(message);
    else this.onNoise(line);
  }
}

/** Writes one JSON message a line, in order, and waits while the other side does not read. */
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
    // A message that can't be written fails alone.
    this.tail = written.catch(() => undefined);
    return written;
  }

  end(): void {
    this.stream.end();
  }

  protected frame(text: string): string {
    return `${text}\n`;
  }

  // A closed pipe is no reason to reject: the reader's side reports the end of the agent, with its reason.
  private async writeLine(message: Message): Promise<void> {
    if (this.stream.destroyed || this.stream.writableEnded) return;
    const hasRoom = this.stream.write(this.frame(JSON.stringify(message)));
    if (hasRoom) return;
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    this.stream.once('close', stop);
    await once(this.stream, 'drain', { signal: stopped.signal }).catch(() => undefined);
    this.stream.off('close', stop);
  }
}

/** The message in a text, or nothing when there is none. */
export function messageFrom(text: string): Message | undefined {
  try {
    const value = parseJson(text);
    // A batch is a list of messages; what it means is for others to say.
    const isBatch = Array.isArray(value) && value.length > 0 && value.every(isRecord);
    return isRecord(value) || isBatch ? (value as unknown as Message) : undefined;
  } catch {
    return undefined;
  }
}
