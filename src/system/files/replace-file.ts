import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a private file of the plugin, creating its folder if needed. It writes a temporary file and renames it, so
 * that readers see the old content or the new content, never a part of it.
 */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  // Two writes of the same file may overlap, in this process or in two. Nobody else can know the name and put a link there.
  const draft = `${file}.${randomUUID()}`;
  const write = () => fs.writeFile(draft, content, { mode: 0o600, flag: 'wx' });
  try {
    await write().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await write();
    });
    await fs.rename(draft, file);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
}
