import fs from 'node:fs';
import { parseRecord, readJournalLines } from './reader.ts';

const opened = '"session_opened"';
const batchBytes = 256 * 1024;

/** Copies a journal except for the ids of its sessions: the copy continues as a session of its own. */
export function copyWithoutSession(from: string, to: string): void {
  const fd = fs.openSync(to, 'a', 0o600);
  try {
    let batch: Buffer[] = [];
    let size = 0;
    const write = () => {
      fs.writeSync(fd, Buffer.concat(batch));
      [batch, size] = [[], 0];
    };
    for (const { bytes } of readJournalLines(from)) {
      if (bytes.length === 0 || isSessionId(bytes)) continue;
      batch.push(Buffer.from('\n'), bytes);
      size += bytes.length;
      if (size > batchBytes) write();
    }
    write();
  } finally {
    fs.closeSync(fd);
  }
}

function isSessionId(line: Buffer): boolean {
  if (!line.includes(opened)) return false;
  const record = parseRecord(line);
  return record !== undefined && record !== false && record.event.kind === 'session_opened';
}
