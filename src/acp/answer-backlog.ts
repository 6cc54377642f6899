import type { MessageWriter } from 'vscode-jsonrpc';
import { weigh } from './traffic.ts';

/** Far more than an agent that reads its answers at all lets wait. */
const high = 32 * 1024 * 1024;
const low = 8 * 1024 * 1024;

/** A writer that tells when more waits to be written than should, and when that has gone down again. */
export function watchingBacklog(writer: MessageWriter, onFull: (isFull: boolean) => void): MessageWriter {
  let waiting = 0;
  let isFull = false;
  const add = (size: number) => {
    waiting += size;
    if (isFull ? waiting > low : waiting <= high) return;
    isFull = !isFull;
    onFull(isFull);
  };
  return {
    onError: writer.onError,
    onClose: writer.onClose,
    write: async (message) => {
      const size = weigh(message);
      add(size);
      try {
        await writer.write(message);
      } finally {
        add(-size);
      }
    },
    end: () => writer.end(),
    dispose: () => writer.dispose(),
  };
}
