import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../base/errors.ts';
import { git, splitAtNul } from './snapshots/git.ts';

/** A work tree that was made for a session. */
export interface Worktree {
  readonly folder: string;
  readonly branch: string;
}

/** What a work tree has that the user's own one does not have. */
export interface WorktreeState extends Worktree {
  /** The work tree of the user, and what is checked out there. */
  readonly main: string;
  readonly mainBranch: string;
  /** Files that differ from the last commit of the work tree, and untracked ones. */
  readonly uncommitted: readonly string[];
  /** Commits that are not in the branch of the user. */
  readonly commits: number;
  /** Files that differ between both branches. */
  readonly changed: number;
}

/** As many files as a message of one line has room for. */
const maxNamed = 2;
// The commit and the merge are the user's, so that they are in the reflog; no signature can be asked for here.
const asUser = ['-c', 'core.logAllRefUpdates=true', '-c', 'commit.gpgSign=false'];

/** Makes a work tree of the repository of a folder, on a new branch that begins at its last commit. */
export async function addWorktree(cwd: string, folder: string, branch: string): Promise<Worktree> {
  await ask(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(() => {
    throw new AcpError(
      'unsupported',
      `${cwd} is not in a git repository with a commit, so it has no worktrees`,
    );
  });
  await fs.mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  await ask(cwd, ['worktree', 'add', '-q', '-b', branch, folder, 'HEAD']);
  return { folder, branch };
}

/** The work trees of the repository of a folder whose folders exist, the main one first. */
export async function listWorktrees(cwd: string): Promise<readonly string[]> {
  const answer = await git(['worktree', 'list', '--porcelain', '-z'], { cwd });
  const trees = answer.toString().split('\0\0');
  return trees
    .map((tree) => tree.split('\0'))
    .filter((lines) => !lines.some((line) => line.startsWith('prunable')))
    .flatMap(([first = '']) => (first.startsWith('worktree ') ? [first.slice('worktree '.length)] : []));
}

/** How many files of a work tree differ from its last commit, untracked ones included. */
export async function countUncommitted(cwd: string): Promise<number> {
  return (await uncommittedFiles(cwd)).length;
}

export async function worktreeState(folder: string): Promise<WorktreeState> {
  const branch = await branchOf(folder);
  const main = await mainWorktree(folder);
  const mainBranch = await ask(main, ['symbolic-ref', '--quiet', '--short', 'HEAD']).catch(() => 'HEAD');
  const mainCommit = await ask(main, ['rev-parse', 'HEAD']);
  const [uncommitted, commits, changed] = await Promise.all([
    uncommittedFiles(folder),
    ask(folder, ['rev-list', '--count', `${mainCommit}..HEAD`]),
    git(['diff', '--name-only', '-z', `${mainCommit}...HEAD`], { cwd: folder }),
  ]);
  return {
    ...{ folder, branch, main, mainBranch, uncommitted },
    commits: Number(commits),
    changed: splitAtNul(changed).length,
  };
}

/** Commits everything in a work tree that git does not ignore. */
export async function commitAll(folder: string, message: string): Promise<void> {
  await ask(folder, ['add', '--all']);
  await ask(folder, [...asUser, 'commit', '-q', '--no-verify', '-m', message]);
}

/**
 * Merges the branch of a work tree into what the user has checked out. Git refuses to overwrite changes of the user; a
 * merge with conflicts is taken back.
 */
export async function mergeBack({ main, branch }: Pick<WorktreeState, 'main' | 'branch'>): Promise<void> {
  if (await isMerging(main))
    throw new AcpError('file_error', 'you are in the middle of a merge; finish it first');
  try {
    await ask(main, [...asUser, 'merge', '-q', '--no-edit', '--no-verify', branch]);
  } catch (error) {
    const reason = await reasonOf(main, branch);
    // Nothing is to be taken back if the merge did not begin.
    await ask(main, ['merge', '--abort']).catch(() => undefined);
    const message = `${reason}; nothing was changed, merge ${branch} by hand`;
    throw new AcpError('file_error', message, { cause: error });
  }
}

// Taking back our merge would take back that of the user, with the conflicts that are solved already.
function isMerging(main: string): Promise<boolean> {
  return ask(main, ['rev-parse', '--verify', '--quiet', 'MERGE_HEAD']).then(
    () => true,
    () => false,
  );
}

/** Why a merge has failed. */
async function reasonOf(main: string, branch: string): Promise<string> {
  const files = async (...args: string[]) => splitAtNul(await git(['diff', '-z', ...args], { cwd: main }));
  const conflicts = await files('--name-only', '--diff-filter=U');
  if (conflicts.length > 0) return `conflicts in ${someOf(conflicts)}`;
  const changed = new Set(await files('--name-only', `HEAD...${branch}`));
  const blocking = (await uncommittedFiles(main)).filter((file) => changed.has(file));
  if (blocking.length === 0) return 'git refused';
  return `${someOf(blocking)} ${blocking.length === 1 ? 'is' : 'are'} not committed`;
}

function someOf(files: readonly string[]): string {
  const rest = files.length - maxNamed;
  return [...files.slice(0, maxNamed), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** Removes the folder of a work tree without uncommitted changes; its branch stays unless it was merged. */
export async function removeWorktree({
  folder,
  branch,
  main,
}: WorktreeState): Promise<{ isBranchKept: boolean }> {
  // Without --force, git refuses if something is not committed.
  await ask(main, ['worktree', 'remove', folder]);
  const deleted = ask(main, ['branch', '-q', '-d', branch]);
  return { isBranchKept: await deleted.then(() => false).catch(() => true) };
}

// The agent may have put the work tree on a branch whose name git would take for an option, or for the branch before.
async function branchOf(folder: string): Promise<string> {
  const branch = await ask(folder, ['symbolic-ref', '--short', 'HEAD']);
  if (branch.startsWith('-'))
    throw new AcpError('unsupported', `the worktree is on the branch "${branch}", which begins with "-"`);
  return branch;
}

async function mainWorktree(folder: string): Promise<string> {
  const [first] = await listWorktrees(folder);
  if (first === undefined) throw new AcpError('file_error', `git knows no work tree of ${folder}`);
  return first;
}

async function uncommittedFiles(cwd: string): Promise<readonly string[]> {
  const args = ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames'];
  return splitAtNul(await git(args, { cwd })).map((line) => line.slice(3));
}

async function ask(cwd: string, args: readonly string[]): Promise<string> {
  return (await git(args, { cwd })).toString().trimEnd();
}
