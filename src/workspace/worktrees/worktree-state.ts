import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../../base/errors.ts';
import { type Checkout, exists, readCheckout } from './checkout.ts';
import { mergeObstacle } from './merge-obstacles.ts';
import { type Origin, readRecord } from './origin.ts';
import { removalObstacle } from './removal-obstacles.ts';
import { namesOf, run } from './user-git.ts';

/** What a worktree of a session has that the branch it was made from does not have. */
export interface WorktreeState {
  readonly folder: string;
  /** The branch that the plugin made for it. */
  readonly branch: string;
  /** The git folder of the repository. */
  readonly repository: string;
  /** Undefined: nobody knows. */
  readonly origin: Origin | undefined;
  /** Where HEAD is, if it is not on its branch. */
  readonly head: string | undefined;
  readonly commit: string | undefined;
  /** Files that differ from its last commit, and untracked ones. */
  readonly uncommitted: readonly string[];
  /** Commits of its branch that the origin does not have, and the files that they change. */
  readonly commits: number;
  readonly changed: readonly string[];
  /** Why it can't be merged, or removed. */
  readonly mergeObstacle: string | undefined;
  readonly removalObstacle: string | undefined;
}

/** What is looked at to find out whether a worktree can be merged or removed. */
export interface Facts {
  readonly tree: Checkout;
  readonly branch: string;
  readonly origin: Origin | undefined;
  /** The commit that the branch of the origin is at. */
  readonly into: string;
}

export async function worktreeState(folder: string): Promise<WorktreeState> {
  const tree = await readWorktree(folder);
  const record = await readRecord(tree.gitFolder, tree.folder);
  if (!record)
    throw new AcpError(
      'unsupported',
      `nothing says what ${folder} was made from; merge or remove it by hand`,
    );
  const { branch, origin } = record;
  const into = await commitOf(tree.folder, origin);
  const facts = { tree, branch, origin, into };
  const counts = await countChanges(facts);
  return {
    ...{ folder: tree.folder, branch, repository: tree.repository, origin },
    head: tree.branch === branch ? undefined : describeHead(tree),
    ...{ commit: tree.commit, uncommitted: tree.uncommitted, ...counts },
    mergeObstacle: await mergeObstacle(facts),
    removalObstacle: await removalObstacle(facts),
  };
}

// The agent may have removed it, or put another repository in its place. Git would then find one further up.
async function readWorktree(folder: string): Promise<Checkout> {
  if (!(await exists(folder)))
    throw new AcpError('not_found', `${folder} is gone; :AcpClose closes the chat`);
  const tree = await readCheckout(folder);
  if (tree.folder === folder && (await fs.realpath(tree.gitFolder)) !== tree.repository) return tree;
  throw new AcpError('unsupported', `${folder} is no worktree of your repository any more; look at its .git`);
}

/** The last commit of the branch that a worktree was made from; of its HEAD if there was none. */
async function commitOf(folder: string, origin: Origin | undefined): Promise<string> {
  const [place, name] =
    origin?.branch === undefined
      ? [origin?.folder ?? folder, 'HEAD']
      : [folder, `refs/heads/${origin.branch}`];
  return run(place, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`).catch(
    () => origin?.commit ?? 'HEAD',
  );
}

async function countChanges({ tree, branch, into }: Facts) {
  const own = `refs/heads/${branch}`;
  const [commits, changed] = await Promise.all([
    run(tree.folder, 'rev-list', '--count', `${into}..${own}`),
    namesOf(tree.folder, 'diff', '--name-only', '-z', '--no-ext-diff', `${into}...${own}`),
  ]).catch(() => ['0', []] as const);
  return { commits: Number(commits), changed };
}

function describeHead({ branch, commit }: Checkout): string {
  return branch ?? `no branch (${commit?.slice(0, 7) ?? 'no commit'})`;
}

/** The name of what a worktree is merged into. */
export function nameOf({ branch, folder }: Origin): string {
  return branch ?? `HEAD of ${path.basename(folder)}`;
}
