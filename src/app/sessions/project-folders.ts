import fs from 'node:fs/promises';
import { isInside } from '../../base/paths.ts';
import { listWorktrees } from '../../workspace/worktrees/list-worktrees.ts';

/**
 * The folders whose sessions belong to the project of a folder: itself, and the other worktrees of its repository.
 * Sessions may name a worktree through a symbolic link.
 */
export async function projectFolders(
  cwd: string,
  sessions: readonly { readonly cwd: string }[],
): Promise<ReadonlySet<string>> {
  const [real, worktrees] = await Promise.all([realPath(cwd), listWorktrees(cwd).catch(() => [])]);
  // A worktree may be inside of the main one.
  const own = worktrees
    .filter((folder) => isInside(real, folder))
    .sort(byLength)
    .at(-1);
  const others = worktrees.filter((folder) => folder !== own);
  const folders = new Set([cwd, ...others]);
  if (others.length === 0) return folders;
  for (const folder of new Set(sessions.map((session) => session.cwd)))
    if (others.includes(await realPath(folder))) folders.add(folder);
  return folders;
}

/** Whether a session belongs to a project. Agents may leave its folder out. */
export function isInProject(
  { cwd }: { readonly cwd: string | undefined },
  folders: ReadonlySet<string> | undefined,
): boolean {
  return !folders || cwd === undefined || folders.has(cwd);
}

function realPath(folder: string): Promise<string> {
  return fs.realpath(folder).catch(() => folder);
}

function byLength(one: string, other: string): number {
  return one.length - other.length;
}
