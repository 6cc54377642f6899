import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../../base/errors.ts';
import { readCheckout } from './checkout.ts';
import { type Origin, readOrigin, writeRecord } from './origin.ts';
import { isTrue, namesOf, reasonOf, run, runBare, someOf } from './user-git.ts';
import type { WorktreeState } from './worktree-state.ts';

/** Makes a work tree of the repository of a folder, on a new branch that begins at its last commit. */
export async function addWorktree(cwd: string, folder: string, branch: string): Promise<void> {
  const commit = await run(cwd, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}').catch(() => {
    throw new AcpError(
      'unsupported',
      `${cwd} is not in a git repository with a commit, so it has no worktrees`,
    );
  });
  const origin = await readOrigin(cwd, commit);
  await fs.mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  try {
    await run(cwd, 'worktree', 'add', '-q', '-b', branch, folder, commit);
  } catch (error) {
    throw new AcpError('file_error', reasonOf(error), { cause: error });
  }
  const { gitFolder } = await readCheckout(folder);
  await writeRecord(gitFolder, { branch, origin });
}

/** How many files of a work tree differ from its last commit, untracked ones included. */
export async function countUncommitted(cwd: string): Promise<number> {
  // A bare repository has no files.
  return readCheckout(cwd).then(
    ({ uncommitted }) => uncommitted.length,
    () => 0,
  );
}

/**
 * Commits what is not committed, and merges the branch of a worktree into what it was made from. A merge with conflicts
 * is taken back.
 */
export async function mergeWorktree(tree: WorktreeState, message: string): Promise<Origin> {
  const { branch, origin, mergeObstacle } = tree;
  if (mergeObstacle !== undefined || !origin) throw new AcpError('unsupported', mergeObstacle ?? 'no origin');
  await commitAll(tree, message);
  const { folder } = origin;
  try {
    // The short name may be that of a tag, too.
    await run(folder, 'merge', '-q', '--no-verify', '-m', mergeTitle(branch, origin), `refs/heads/${branch}`);
  } catch (error) {
    const conflicts = await namesOf(folder, 'diff', '-z', '--name-only', '--diff-filter=U');
    const reason = conflicts.length > 0 ? `conflicts in ${someOf(conflicts)}` : reasonOf(error);
    // Nothing is to be taken back if the merge did not begin.
    await run(folder, 'merge', '--abort').catch(() => undefined);
    const isLeft = await isTrue(run(folder, 'rev-parse', '--verify', '--quiet', 'MERGE_HEAD'));
    const after = isLeft
      ? `finish the merge in ${folder}`
      : `nothing was changed in ${folder}, merge ${branch}`;
    throw new AcpError('file_error', `${reason}; ${after} by hand`, { cause: error });
  }
  return origin;
}

// As git words it.
function mergeTitle(branch: string, origin: Origin): string {
  return `Merge branch '${branch}'${origin.branch === undefined ? '' : ` into ${origin.branch}`}`;
}

/**
 * Commits what is not committed to the branch of a worktree, and removes the folder. The branch stays unless the origin
 * has all of it.
 */
export async function removeWorktree(
  tree: WorktreeState,
  message: string,
): Promise<{ readonly isBranchKept: boolean }> {
  const { folder, repository, removalObstacle } = tree;
  if (removalObstacle !== undefined) throw new AcpError('unsupported', removalObstacle);
  await commitAll(tree, message);
  const isMerged = await isInOrigin(tree);
  try {
    // Without --force, git refuses if something is not committed.
    await runBare(repository, 'worktree', 'remove', folder);
  } catch (error) {
    throw new AcpError('file_error', `git keeps it: ${reasonOf(error)}`, { cause: error });
  }
  // It stays if somebody has checked it out elsewhere.
  if (isMerged) await isTrue(runBare(repository, 'branch', '-q', '-D', tree.branch));
  const own = `refs/heads/${tree.branch}`;
  return { isBranchKept: await isTrue(runBare(repository, 'rev-parse', '--verify', '--quiet', own)) };
}

// Only to the branch that was made for it.
async function commitAll({ folder, head, uncommitted }: WorktreeState, message: string): Promise<void> {
  if (uncommitted.length === 0) return;
  if (head !== undefined) throw new AcpError('unsupported', `the worktree is on ${head}`);
  try {
    await run(folder, 'add', '--all');
    await run(folder, 'commit', '-q', '--no-verify', '--cleanup=whitespace', '-m', message);
  } catch (error) {
    throw new AcpError('file_error', `git could not commit: ${reasonOf(error)}`, { cause: error });
  }
}

async function isInOrigin({ folder, branch, origin }: WorktreeState): Promise<boolean> {
  if (!origin) return false;
  const own = `refs/heads/${branch}`;
  const into = origin.branch === undefined ? 'HEAD' : `refs/heads/${origin.branch}`;
  const place = origin.branch === undefined ? origin.folder : folder;
  return isTrue(run(place, 'merge-base', '--is-ancestor', own, into));
}
