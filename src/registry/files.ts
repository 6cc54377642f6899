import fs from 'node:fs';
import path from 'node:path';

/** Replaces a file; who reads it finds the old text or the new one, whole. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await fs.promises.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await fs.promises.writeFile(draft, text, { mode: 0o600 });
  await fs.promises.rename(draft, file);
}

/** What a JSON file holds; undefined when it is not there or broken. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await fs.promises.readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
