import fs from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../base/record.ts';
import { readJsonFile } from '../../system/files/json-file.ts';
import { replaceFile } from '../../system/files/replace-file.ts';
import { isOfRunningNeovim } from './journal-name.ts';

const dayMs = 24 * 60 * 60 * 1000;
const marksFile = 'prune.json';
/** Pictures are named by the time when they were pasted. */
const pictureName = /^\d{4}-\d\d-\d\d-\d{6}(-\d+)?\.[a-z]+$/;
/** `.jsonl.new`: a copy that was not completed, because the machine lost its power for example. */
const journalSuffix = /\.(jsonl|jsonl\.new|changes|attachments)$/;

interface StoredConversation {
  readonly name: string;
  readonly files: readonly string[];
  readonly writtenAt: number;
}

/** What stays: what is newer than so many days, and the newest so many. With 0 days, everything. */
export interface KeepLimits {
  readonly days: number;
  readonly count: number;
}

/**
 * Deletes the journals of a folder that were not written for some days. The system clock may be wrong, so it is not
 * trusted alone: the newest ones and those of a running Neovim stay, the age is relative to the newest other journal if
 * that is earlier, and a journal must be old on two checks that are a day apart.
 */
export async function pruneJournals(current: string, now: number, keep: KeepLimits): Promise<void> {
  const folder = path.dirname(current);
  const currentName = conversationName(path.basename(current));
  const isMeant = (name: string) => journalSuffix.test(name) && conversationName(name) !== currentName;
  await prune(folder, isMeant, now, keep);
}

/** Deletes pictures that were pasted, by the same rule. A chat has its own copies of those that it has sent. */
export async function prunePictures(folder: string, now: number, keep: KeepLimits): Promise<void> {
  await prune(folder, (name) => pictureName.test(name), now, keep);
}

async function prune(
  folder: string,
  isMeant: (file: string) => boolean,
  now: number,
  { days, count }: KeepLimits,
): Promise<void> {
  if (days <= 0 || !fs.existsSync(folder)) return;
  const all = await conversationsIn(folder, isMeant);
  const newestFirst = all.sort((one, other) => other.writtenAt - one.writtenAt);
  const reference = Math.min(now, newestFirst[0]?.writtenAt ?? now);
  const old = newestFirst
    .slice(count)
    .filter(({ name, writtenAt }) => writtenAt < reference - days * dayMs && !isOfRunningNeovim(name));
  const marks = await readMarks(folder);
  const marked: Record<string, number> = {};
  for (const { name, files } of old) {
    const since = marks[name];
    if (typeof since === 'number' && since <= now - dayMs) await removeAll(folder, files);
    else marked[name] = Math.min(now, typeof since === 'number' ? since : now);
  }
  await writeMarks(folder, marks, marked);
}

async function conversationsIn(
  folder: string,
  isMeant: (file: string) => boolean,
): Promise<StoredConversation[]> {
  const names = (await fs.promises.readdir(folder)).filter(isMeant);
  return Promise.all(
    [...new Set(names.map(conversationName))].map(async (name) => {
      const files = names.filter((file) => conversationName(file) === name);
      const times = await Promise.all(files.map((file) => modifiedAt(path.join(folder, file))));
      return { name, files, writtenAt: Math.max(...times) };
    }),
  );
}

function conversationName(file: string): string {
  return file.replace(journalSuffix, '');
}

// Another Neovim may have removed it meanwhile.
async function modifiedAt(file: string): Promise<number> {
  return fs.promises.stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

async function removeAll(folder: string, files: readonly string[]): Promise<void> {
  for (const file of files) await fs.promises.rm(path.join(folder, file), { force: true, recursive: true });
}

/** When each old journal was first found to be old. */
async function readMarks(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const marks = await readJsonFile(path.join(folder, marksFile));
  return isRecord(marks) ? marks : {};
}

async function writeMarks(folder: string, before: object, marks: object): Promise<void> {
  if (Object.keys(before).length === 0 && Object.keys(marks).length === 0) return;
  await replaceFile(path.join(folder, marksFile), JSON.stringify(marks));
}
