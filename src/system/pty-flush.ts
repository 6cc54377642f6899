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
  onData(listener: () => void): void;
}

/**
 * Makes node-pty report the exit of a program after all of its output was read, and soon after that.
 *
 * node-pty has no option for this, so two of its private parts are wrapped:
 * - libuv closes a terminal whose last process has exited even if unread output is left. An own file descriptor of the
 *   terminal keeps it open.
 * - When the program has exited, node-pty waits for `close` and destroys the socket after 200 ms. That is too late for
 *   most programs and too early for some. Instead the socket is destroyed when no data came for some polls.
 */
export function flushBeforeClose(pty: NodePtyInternals): void {
  const { ptsName, _socket: socket } = pty;
  if (!ptsName || !socket) return;
  const held = openSlave(ptsName);
  const destroy = socket.destroy.bind(socket);
  const listen = pty.once.bind(pty);
  let reads = 0;
  pty.onData(() => {
    reads += 1;
  });
  const drain = once(() => {
    const deadline = Date.now() + maxFlushMs;
    let quiet = 0;
    const look = () => {
      const before = reads;
      const isOver = () => {
        quiet = reads === before ? quiet + 1 : 0;
        return quiet >= (reads === 0 ? idlePolls.atFirst : idlePolls.later) || Date.now() > deadline;
      };
      setTimeout(() => setImmediate(() => (isOver() ? close() : look())), pollMs);
    };
    look();
  });
  const close = () => {
    if (held !== undefined) fs.closeSync(held);
    destroy();
  };
  socket.destroy = () => {
    drain();
    return socket;
  };
  pty.once = (event, listener) => {
    listen(event, listener);
    if (event === 'close') drain();
  };
}

function openSlave(name: string): number | undefined {
  try {
    return fs.openSync(name, fs.constants.O_RDWR | fs.constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}
