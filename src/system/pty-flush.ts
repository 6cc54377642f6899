import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { once } from '../base/once.ts';

const pollMs = 5;
const maxFlushMs = 3_000;
/** Close after this many polls without data: a loaded kernel delivers late, above all the first bytes. */
const idlePolls = { atFirst: 10, later: 2 };

/** Private fields of node-pty's UnixTerminal (node_modules/node-pty/unixTerminal.js) that are used here. */
interface NodePtyInternals {
  readonly ptsName?: string;
  readonly _socket?: { destroy(): unknown };
  once(event: string, listener: (...args: never[]) => void): void;
  onData(listener: (bytes: Buffer) => void): void;
}

/**
 * Makes node-pty report the exit of a program after all of its output was read, and soon after that.
 *
 * node-pty has no option for this, so two of its private parts are wrapped:
 * - libuv closes a terminal whose last process has exited even if unread output is left. An own file descriptor of the
 *   terminal keeps it open.
 * - When the program has exited, node-pty waits for `close` and destroys the socket after 200 ms. That is too late for
 *   most programs and too early for some. Instead a mark is written behind the output, and the socket is destroyed when
 *   the mark was read. If it cannot be written, the socket is destroyed when no data came for some polls.
 *
 * `onClose` is called right before the file descriptor is closed, which is a moment before node-pty reports the exit.
 */
export function flushBeforeClose(
  pty: NodePtyInternals,
  onOutput: (bytes: Buffer) => void,
  onClose: () => void,
): void {
  const { ptsName, _socket: socket } = pty;
  if (!ptsName || !socket) return pty.onData(onOutput);
  const held = openSlave(ptsName, fs.constants.O_RDWR);
  const destroy = socket.destroy.bind(socket);
  const listen = pty.once.bind(pty);
  const mark = new EndMark(ptsName, onOutput);
  let reads = 0;
  const close = once(() => {
    mark.flush();
    if (held !== undefined) fs.closeSync(held);
    onClose();
    destroy();
  });
  pty.onData((bytes) => {
    reads += 1;
    mark.read(bytes);
    if (mark.isRead) close();
  });
  const drain = once(() => {
    const deadline = performance.now() + maxFlushMs;
    let quiet = 0;
    const look = () => {
      const before = reads;
      const isWritten = mark.write();
      const isOver = () => {
        quiet = reads === before ? quiet + 1 : 0;
        const isQuiet = quiet >= (reads === 0 ? idlePolls.atFirst : idlePolls.later);
        return mark.isRead || (!isWritten && isQuiet) || performance.now() > deadline;
      };
      setTimeout(() => setImmediate(() => (isOver() ? close() : look())), pollMs);
    };
    look();
  });
  socket.destroy = () => {
    drain();
    return socket;
  };
  pty.once = (event, listener) => {
    listen(event, listener);
    if (event === 'close') drain();
  };
}

/** Bytes that are written behind the output of a program. What was written before them is read before them. */
class EndMark {
  isRead = false;
  private readonly mark = Buffer.from(`\0${randomUUID()}\0`);
  private readonly ptsName: string;
  private readonly onOutput: (bytes: Buffer) => void;
  private unwritten: Buffer = this.mark;
  /** Bytes that may be the beginning of the mark. */
  private pending: Buffer = Buffer.alloc(0);
  private isExpected = false;

  constructor(ptsName: string, onOutput: (bytes: Buffer) => void) {
    this.ptsName = ptsName;
    this.onOutput = onOutput;
  }

  /** Writes what is left of the mark. `false`: the terminal takes nothing now. */
  write(): boolean {
    this.isExpected = true;
    if (this.unwritten.length === 0) return true;
    const slave = openSlave(this.ptsName, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
    if (slave === undefined) return false;
    try {
      this.unwritten = this.unwritten.subarray(fs.writeSync(slave, this.unwritten));
    } catch {
      // The user has stopped the output with <C-s>, or the buffer of the terminal is full.
    } finally {
      fs.closeSync(slave);
    }
    return this.unwritten.length === 0;
  }

  /** Passes output on, but for the mark. */
  read(bytes: Buffer): void {
    if (!this.isExpected || this.isRead) return this.onOutput(bytes);
    const all = Buffer.concat([this.pending, bytes]);
    const at = all.indexOf(this.mark);
    this.isRead = at !== -1;
    const end = this.isRead ? at : Math.max(0, all.length - this.mark.length + 1);
    this.pending = this.isRead ? all.subarray(at + this.mark.length) : all.subarray(end);
    if (end > 0) this.onOutput(all.subarray(0, end));
  }

  flush(): void {
    const rest = this.pending;
    this.pending = Buffer.alloc(0);
    if (rest.length > 0) this.onOutput(rest);
  }
}

function openSlave(name: string, flags: number): number | undefined {
  try {
    return fs.openSync(name, flags | fs.constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}
