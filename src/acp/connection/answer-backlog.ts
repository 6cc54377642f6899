import type { MessageWriter } from 'vscode-jsonrpc';
import { estimateSize } from '../../base/json.ts';
import { wrapWriter } from './message-filters.ts';

/** An agent that reads its answers at all stays far below this. */
const highWaterBytes = 32 * 1024 * 1024;
const lowWaterBytes = 8 * 1024 * 1024;

interface BacklogEvents {
  onHigh(): void;
  onLow(): void;
}

/** Reports when too many bytes wait to be written, and when the backlog has shrunk again. */
export function watchBacklog(writer: MessageWriter, { onHigh, onLow }: BacklogEvents): MessageWriter {
  let waiting = 0;
  let isHigh = false;
  const add = (size: number) => {
    waiting += size;
    if (isHigh ? waiting > lowWaterBytes : waiting <= highWaterBytes) return;
    isHigh = !isHigh;
    if (isHigh) onHigh();
    else onLow();
  };
  return wrapWriter(writer, async (message) => {
    const size = estimateSize(message);
    add(size);
    try {
      await writer.write(message);
    } finally {
      add(-size);
    }
  });
}
