import fs from 'node:fs';
import type { StoredRecord } from './reader.ts';

/** Gives the session of a journal a title that the user chose. The journal is not newer for it. */
export async function renameJournal(file: string, title: string, at: number): Promise<void> {
  const { atime, mtime } = await fs.promises.stat(file);
  const record: StoredRecord = { at, event: { kind: 'title', title, isChosen: true } };
  await fs.promises.appendFile(file, `\n${JSON.stringify(record)}`, { mode: 0o600 });
  await fs.promises.utimes(file, atime, mtime);
}
