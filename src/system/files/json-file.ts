import fs from 'node:fs/promises';

/** The value in a JSON file; undefined if the file does not exist or is not valid JSON. */
export async function readJsonFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await fs.readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
