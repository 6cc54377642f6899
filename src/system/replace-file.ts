import fs from 'node:fs/promises';
import path from 'node:path';

let drafts = 0;

/**
 * Replaces a private file of the plugin, creating its folder if needed. It writes a temporary file and renames it, so
 * that readers see the old content or the new content, never a part of it.
 */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  drafts += 1;
  // Two writes of the same file may overlap, in this process or in two.
  const draft = `${file}.${process.pid}.${drafts}`;
  try {
    await fs.writeFile(draft, content, { mode: 0o600 });
    await fs.rename(draft, file);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
}
