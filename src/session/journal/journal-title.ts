import fs from 'node:fs';
import { appendToFile } from '../../system/files/regular-file.ts';
import type { StoredRecord } from './reader.ts';

/** Gives the session of a journal a title that the user chose. The journal is not newer for it. */
export async function renameJournal(file: string, title: string, at: number): Promise<void> {
  const { atime, mtime } = await fs.promises.stat(file);
  const record: StoredRecord = { at, event: { kind: 'title', title, isChosen: true } };
  appendToFile(file, `\n${JSON.stringify(record)}`);
  await fs.promises.utimes(file, atime, mtime);
}
