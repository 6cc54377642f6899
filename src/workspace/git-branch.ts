import fs from 'node:fs';
import path from 'node:path';
import { withParents } from '../base/paths.ts';

const maxHeadBytes = 4_096;
// Opening a pipe must not wait for a writer.
const openFlags = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

/** The branch of the repository that a folder is in, or the beginning of the commit. Undefined outside of one. */
export async function readBranch(folder: string): Promise<string | undefined> {
  const head = await readHead(folder);
  if (head === undefined) return undefined;
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  return branch ?? (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 7) : undefined);
}

async function readHead(folder: string): Promise<string | undefined> {
  for (const each of withParents(folder)) {
    const place = await gitFolder(path.join(each, '.git'));
    if (place !== undefined) return readStart(path.join(place, 'HEAD'));
  }
  return undefined;
}

// In a worktree and in a submodule, `.git` is a file with the name of the folder.
async function gitFolder(dotGit: string): Promise<string | undefined> {
  try {
    if ((await fs.promises.stat(dotGit)).isDirectory()) return dotGit;
    const target = /^gitdir: (.+)$/.exec((await readStart(dotGit)) ?? '')?.[1];
    return target === undefined ? undefined : path.resolve(path.dirname(dotGit), target);
  } catch {
    return undefined;
  }
}

async function readStart(file: string): Promise<string | undefined> {
  try {
    const handle = await fs.promises.open(file, openFlags);
    try {
      if (!(await handle.stat()).isFile()) return undefined;
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0);
      return buffer.subarray(0, bytesRead).toString().trim();
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
