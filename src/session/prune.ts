import fs from 'node:fs';
import path from 'node:path';
import { isRecord } from '../base.ts';

const dayMs = 24 * 60 * 60 * 1000;
const keepMs = 30 * dayMs;
const keepCount = 100;
const marksFile = 'prune.json';
const ours = /\.(jsonl|changes)$/;

interface Conversation {
  readonly name: string;
  readonly files: readonly string[];
  readonly writtenAt: number;
}

/**
 * Removes the conversations of a folder that nobody wrote to for a month. The clock alone removes nothing, as it may be
 * wrong: the newest 100 stay, those of a Neovim that runs stay, age is counted from the newest of the other
 * conversations where that is earlier, and what is old has to be old again a day later.
 */
export async function pruneJournals(current: string, now: number): Promise<void> {
  const folder = path.dirname(current);
  if (!fs.existsSync(folder)) return;
  const all = (await conversationsIn(folder)).filter(({ name }) => name !== nameOf(path.basename(current)));
  const newestFirst = all.sort((one, other) => other.writtenAt - one.writtenAt);
  const reference = Math.min(now, newestFirst[0]?.writtenAt ?? now);
  const old = newestFirst
    .slice(keepCount)
    .filter(({ name, writtenAt }) => writtenAt < reference - keepMs && !isOfRunningNeovim(name));
  const marks = await readMarks(folder);
  const marked: Record<string, number> = {};
  for (const { name, files } of old) {
    const since = marks[name];
    if (typeof since === 'number' && since <= now - dayMs) await removeAll(folder, files);
    else marked[name] = Math.min(now, typeof since === 'number' ? since : now);
  }
  await writeMarks(folder, marks, marked);
}

async function conversationsIn(folder: string): Promise<Conversation[]> {
  const names = (await fs.promises.readdir(folder)).filter((name) => ours.test(name));
  return Promise.all(
    [...new Set(names.map(nameOf))].map(async (name) => {
      const files = names.filter((file) => nameOf(file) === name);
      const times = await Promise.all(files.map((file) => timeOf(path.join(folder, file))));
      return { name, files, writtenAt: Math.max(...times) };
    }),
  );
}

function nameOf(file: string): string {
  return file.replace(ours, '');
}

// Another Neovim may have removed it meanwhile.
async function timeOf(file: string): Promise<number> {
  return fs.promises.stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

// A transcript is named by its time, the process of its Neovim and its chat.
function isOfRunningNeovim(name: string): boolean {
  const pid = Number(/-(\d+)-\d+$/.exec(name)?.[1] ?? 0);
  if (pid === 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function removeAll(folder: string, files: readonly string[]): Promise<void> {
  for (const file of files) await fs.promises.rm(path.join(folder, file), { force: true, recursive: true });
}

/** When each old conversation was first found to be old. */
async function readMarks(folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const marks: unknown = JSON.parse(await fs.promises.readFile(path.join(folder, marksFile), 'utf8'));
    return isRecord(marks) ? marks : {};
  } catch {
    return {};
  }
}

async function writeMarks(folder: string, before: object, marks: object): Promise<void> {
  if (Object.keys(before).length === 0 && Object.keys(marks).length === 0) return;
  await fs.promises.writeFile(path.join(folder, marksFile), JSON.stringify(marks), { mode: 0o600 });
}
