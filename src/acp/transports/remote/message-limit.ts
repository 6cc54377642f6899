import { UnexpectedResponse } from './connection-errors.ts';

const megabyte = 1024 * 1024;
/** Comments that keep the connection open may have a few kilobytes each. */
const maxOtherBytes = 16 * megabyte;
/** Of all kinds. A message may have several. */
const maxLines = 1_000_000;
/** The SDK reports each event that is no message. Chunks with thousands of messages may be on their way to it. */
const maxEvents = 100_000;

const [newline, carriageReturn] = [10, 13];
const byteOrderMark = [0xef, 0xbb, 0xbf];
const dataPrefix = [...Buffer.from('data:')];

/**
 * Ends event streams that go on without a message. The SDK skips comments and events that are no messages, for any time,
 * and compressed ones cost the server nearly nothing.
 */
export class MessageLimit {
  private otherBytes = 0;
  private lines = 0;
  private events = 0;

  noteMessage(): void {
    this.otherBytes = 0;
    this.lines = 0;
    this.events = 0;
  }

  /** Creates a function that counts the lines of one event stream and throws if they are too many. */
  createCounter(): (lines: Uint8Array) => void {
    let hasData = false;
    return (lines) => {
      forEachLine(lines, (start, end) => {
        const isData = hasAt(lines, start, dataPrefix);
        this.lines += 1;
        if (!isData) this.otherBytes += end - start;
        if (start === end && hasData) this.events += 1;
        if (start === end || isData) hasData = isData;
      });
      this.check();
    };
  }

  private check(): void {
    if (this.otherBytes > maxOtherBytes) throw tooLong(`${maxOtherBytes / megabyte} MB`);
    if (this.lines > maxLines) throw tooLong(`${maxLines} lines`);
    if (this.events > maxEvents) throw tooLong(`${maxEvents} events`);
  }
}

function tooLong(amount: string): UnexpectedResponse {
  return new UnexpectedResponse(0, `sent ${amount} without a message`);
}

// As the SDK reads them: a line ends with LF, CRLF or CR, and may begin with a byte order mark.
function forEachLine(lines: Uint8Array, visit: (start: number, end: number) => void): void {
  let start = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const byte = lines[at];
    if (byte !== newline && byte !== carriageReturn) continue;
    visit(hasAt(lines, start, byteOrderMark) ? start + byteOrderMark.length : start, at);
    if (byte === carriageReturn && lines[at + 1] === newline) at += 1;
    start = at + 1;
  }
}

function hasAt(bytes: Uint8Array, start: number, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[start + index] === byte);
}
