import { loadRegularFile } from './regular-file.ts';

const maxBytes = 64 * 1024 * 1024;

/** The value in a JSON file; undefined if the file does not exist or is not valid JSON. */
export async function readJsonFile(file: string): Promise<unknown> {
  try {
    return JSON.parse((await loadRegularFile(file, maxBytes)).toString());
  } catch {
    return undefined;
  }
}
