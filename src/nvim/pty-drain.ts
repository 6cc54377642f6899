import fs from 'node:fs';
import { once } from '../base.ts';

const turnMs = 5;
const patienceMs = 3_000;
/** So many turns have to bring nothing: on a busy machine the system takes its time to hand over what was written. */
const quietTurns = { atFirst: 10, later: 2 };

/** What of node-pty's own parts has to be known. */
interface Drainable {
  readonly ptsName?: string;
  readonly _socket?: { destroy(): unknown };
  once(event: string, listener: (...args: never[]) => void): void;
  onData(listener: () => void): void;
}

/**
 * Makes sure that all a program wrote is read before its end is told, and not much later either.
 *
 * libuv takes a terminal that nobody holds any more for ended, whatever is still to be read of it: so we hold it
 * ourselves. When its program has ended, node-pty asks to be told of the close and 200 ms later closes by itself, which
 * is too late for most and too soon for some: so we close it as soon as some turns of the event loop brought nothing.
 */
export function readToTheEnd(pty: Drainable): void {
  const { ptsName, _socket: socket } = pty;
  if (!ptsName || !socket) return;
  const held = hold(ptsName);
  const destroy = socket.destroy.bind(socket);
  const listen = pty.once.bind(pty);
  let reads = 0;
  pty.onData(() => {
    reads += 1;
  });
  const drain = once(() => {
    const deadline = Date.now() + patienceMs;
    let quiet = 0;
    const look = () => {
      const before = reads;
      const isOver = () => {
        quiet = reads === before ? quiet + 1 : 0;
        return quiet >= (reads === 0 ? quietTurns.atFirst : quietTurns.later) || Date.now() > deadline;
      };
      setTimeout(() => setImmediate(() => (isOver() ? close() : look())), turnMs);
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

function hold(name: string): number | undefined {
  try {
    return fs.openSync(name, fs.constants.O_RDWR | fs.constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}
