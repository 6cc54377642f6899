import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isRecord } from '../base/record.ts';
import type { Log } from '../ports/log.ts';
import { appendToFile, loadRegularFile } from '../system/files/regular-file.ts';

/** When a file has more bytes, it is renamed, and the one before it is deleted. */
const maxFileBytes = 512 * 1024;
/** A longer prompt is not remembered. */
const maxPromptBytes = 64 * 1024;
const maxProjects = 200;
const staleLockMs = 10_000;

export interface StoredPrompt {
  readonly text: string;
  /** In milliseconds. */
  readonly at: number;
}

/**
 * The prompts that the user sent in one folder, in a file that only the user may read. Each prompt is appended as one
 * line with one write, so several Neovims may write at once.
 */
export class HistoryFile {
  readonly file: string;
  private readonly log: Log;
  private last: string | undefined;

  constructor(folder: string, project: string, log: Log) {
    const hash = createHash('sha256').update(project).digest('hex').slice(0, 16);
    this.file = path.join(folder, `${hash}.jsonl`);
    this.log = log;
  }

  /** Remembers a prompt. A failure is logged: the prompt is sent anyway. */
  append(text: string, at: number): void {
    if (text === this.last || Buffer.byteLength(text) > maxPromptBytes) return;
    try {
      if (!fs.existsSync(this.file)) this.prepareFolder();
      // The newline comes first, so that an incomplete line does not damage the next one.
      appendToFile(this.file, `\n${JSON.stringify({ at, text })}`);
      this.last = text;
      if (fs.statSync(this.file).size > maxFileBytes) this.rotate();
    } catch (error) {
      this.log.error(`could not remember the prompt in ${this.file}`, error);
    }
  }

  /** The newest first. Damaged lines are skipped; equal neighbours are one. */
  async read(): Promise<readonly StoredPrompt[]> {
    const contents = await Promise.all([this.older, this.file].map(readIfPossible));
    const prompts = contents
      .flatMap((content) => content.split('\n'))
      .flatMap(parseLine)
      .filter(({ text }, index, all) => text !== all[index - 1]?.text);
    return prompts.reverse();
  }

  /** Changes whenever a prompt is added, by any Neovim. */
  async version(): Promise<string> {
    const stats = await Promise.all(
      [this.older, this.file].map((file) => fs.promises.stat(file).catch(() => undefined)),
    );
    return stats.map((stat) => (stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : '')).join(' ');
  }

  async clear(): Promise<void> {
    this.last = undefined;
    await Promise.all([this.older, this.file].map((file) => fs.promises.rm(file, { force: true })));
  }

  private get older(): string {
    return `${this.file}.1`;
  }

  // A second Neovim must not rename the new file over the one that was renamed just now.
  private rotate(): void {
    const lock = `${this.file}.lock`;
    if (!takeLock(lock)) return;
    try {
      if (fs.statSync(this.file).size > maxFileBytes) fs.renameSync(this.file, this.older);
    } finally {
      fs.rmSync(lock, { force: true });
    }
  }

  // A new project is rare, so this is the time to remove the projects that were not used for long.
  private prepareFolder(): void {
    const folder = path.dirname(this.file);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const files = fs.readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    if (files.length < maxProjects) return;
    const byAge = files
      .map((name) => path.join(folder, name))
      .map((file) => ({ file, at: fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((one, other) => other.at - one.at);
    for (const { file } of byAge.slice(maxProjects - 1)) {
      for (const each of [file, `${file}.1`]) fs.rmSync(each, { force: true });
    }
  }
}

// A Neovim that was killed may have left its lock behind.
function takeLock(lock: string): boolean {
  const stat = fs.statSync(lock, { throwIfNoEntry: false });
  if (stat && Math.abs(Date.now() - stat.mtimeMs) > staleLockMs) fs.rmSync(lock, { force: true });
  try {
    fs.closeSync(fs.openSync(lock, 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}

async function readIfPossible(file: string): Promise<string> {
  const content = await loadRegularFile(file, 2 * maxFileBytes).catch(() => '');
  return content.toString();
}

function parseLine(line: string): readonly StoredPrompt[] {
  if (line === '') return [];
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value) || typeof value.text !== 'string' || value.text.trim() === '') return [];
    return [{ text: value.text, at: typeof value.at === 'number' ? value.at : 0 }];
  } catch {
    return [];
  }
}
