import fs from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../base/record.ts';
import { loadRegularFile } from '../../system/files/regular-file.ts';
import { attachmentsFolder } from './attachment-files.ts';
import { changesFolder } from './journal.ts';

const maxDraftBytes = 64 * 1024 * 1024;

export type KeptKind = 'conversation' | 'checkpoints' | 'attachments' | 'draft' | 'prompts';

/** A file or folder that the plugin keeps. */
export interface KeptFile {
  readonly kind: KeptKind;
  readonly path: string;
  readonly bytes: number;
}

/** What is kept of the session of a journal. */
export async function keptOfJournal(journal: string): Promise<readonly KeptFile[]> {
  const name = path.basename(journal).replace(/\.jsonl$/, '.draft');
  return existing([
    ['conversation', journal],
    ['checkpoints', changesFolder(journal)],
    ['attachments', attachmentsFolder(journal)],
    ['draft', path.join(path.dirname(journal), 'drafts', name)],
  ]);
}

/** The drafts of prompts that were written in a folder. */
export async function draftsOf(state: string, cwd: string): Promise<readonly KeptFile[]> {
  const folder = path.join(state, 'drafts');
  const names = await fs.promises.readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.draft')).map((name) => path.join(folder, name));
  const own = await Promise.all(
    files.map(async (file) => ((await folderOfDraft(file)) === cwd ? [file] : [])),
  );
  return existing(own.flat().map((file) => ['draft', file]));
}

/** Those of some files that exist, with their sizes. */
export async function existing(
  files: readonly (readonly [kind: KeptKind, file: string])[],
): Promise<readonly KeptFile[]> {
  const found = await Promise.all(
    files.map(async ([kind, file]) => {
      const bytes = await sizeOf(file);
      return bytes === undefined ? [] : [{ kind, path: file, bytes }];
    }),
  );
  return found.flat();
}

/** Deletes files and folders. */
export async function deleteKept(files: readonly Pick<KeptFile, 'path'>[]): Promise<void> {
  for (const { path: file } of files) await fs.promises.rm(file, { force: true, recursive: true });
}

// The first line of a draft is a JSON object.
async function folderOfDraft(file: string): Promise<string | undefined> {
  try {
    const [header = ''] = (await loadRegularFile(file, maxDraftBytes)).toString().split('\n', 1);
    const facts: unknown = JSON.parse(header);
    return isRecord(facts) && typeof facts.cwd === 'string' ? facts.cwd : undefined;
  } catch {
    return undefined;
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  const stat = await fs.promises.lstat(file).catch(() => undefined);
  if (!stat?.isDirectory()) return stat?.size;
  const names = await fs.promises.readdir(file).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += (await sizeOf(path.join(file, name))) ?? 0;
  return bytes;
}
