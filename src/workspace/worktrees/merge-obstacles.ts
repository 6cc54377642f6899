import path from 'node:path';
import { type Checkout, exists, readCheckout } from './checkout.ts';
import { unregisteredRepositories } from './hidden-files.ts';
import type { Origin } from './origin.ts';
import { identityObstacle, nestedReason, stateObstacle } from './tree-obstacles.ts';
import { beOf, isTrue, namesOf, run, someOf } from './user-git.ts';
import type { Facts } from './worktree-state.ts';

/** Why a worktree can't be merged into what it was made from. */
export async function mergeObstacle(facts: Facts): Promise<string | undefined> {
  const { tree } = facts;
  return (
    stateObstacle(tree, 'the worktree') ??
    headObstacle(facts) ??
    nestedReason(await unregisteredRepositories(tree, facts.into)) ??
    (await originObstacle(facts)) ??
    (tree.uncommitted.length === 0 && (await isForward(facts))
      ? undefined
      : await identityObstacle(tree.folder))
  );
}

function headObstacle({ tree, branch }: Facts): string | undefined {
  const { commit } = tree;
  const back = `"git switch ${branch}" there goes back`;
  if (tree.branch === undefined)
    return `the worktree is on no branch; ${back}, or merge ${commit?.slice(0, 7)} by hand`;
  if (tree.branch !== branch)
    return `the worktree is on the branch "${tree.branch}", not on ${branch}; ${back}, or merge it by hand`;
  return commit === undefined ? `the branch ${branch} has no commit any more` : undefined;
}

async function originObstacle(facts: Facts): Promise<string | undefined> {
  const { tree, branch, origin } = facts;
  const byHand = `merge ${branch} by hand`;
  if (!origin) return `nothing says which folder the worktree was made from; ${byHand}`;
  const { folder } = origin;
  if (!(await exists(folder))) return `${folder}, which the worktree was made from, is gone; ${byHand}`;
  const user = await readCheckout(folder).catch(() => undefined);
  if (user?.repository !== tree.repository)
    return `${folder}, which the worktree was made from, has no files of this repository any more; ${byHand}`;
  return stateObstacle(user, folder) ?? (await otherBranch(user, origin)) ?? (await overwritten(user, facts));
}

async function otherBranch(user: Checkout, { folder, branch, commit }: Origin): Promise<string | undefined> {
  const isSame =
    user.branch === branch &&
    user.commit !== undefined &&
    // Without a branch, it must still be what was checked out then, or follow it.
    (branch !== undefined || (await isTrue(run(folder, 'merge-base', '--is-ancestor', commit, user.commit))));
  if (isSame) return undefined;
  const was = branch ?? `commit ${commit.slice(0, 7)}`;
  const is = user.branch ?? `commit ${user.commit?.slice(0, 7)}`;
  return `${folder} has ${is} checked out, and the worktree was made from ${was}; check that out again first`;
}

/** What the user has not committed, and git would refuse to overwrite or to mix with a merge. */
async function overwritten(user: Checkout, facts: Facts): Promise<string | undefined> {
  const { tree, branch, into } = facts;
  const { folder, staged, uncommitted } = user;
  const own = `refs/heads/${branch}`;
  if (staged.length > 0 && !(await isForward(facts)))
    return `${someOf(staged)} ${beOf(staged)} staged in ${folder}; commit or unstage that first`;
  const changed = await filesToMerge({ folder, own, into, uncommitted: tree.uncommitted });
  const dirty = new Set(uncommitted);
  const files = changed.filter((name) => dirty.has(name));
  if (files.length > 0)
    return `${someOf(files)} ${beOf(files)} not committed in ${folder}; commit or stash that first`;
  const ignored = await ignoredAmong(changed, folder);
  if (ignored.length === 0) return undefined;
  return `${someOf(ignored)} ${beOf(ignored)} ignored by git in ${folder} and would be overwritten; move that away first`;
}

/** Whether git only moves the branch of the user forward, without a commit of its own. */
function isForward({ tree, branch, into }: Facts): Promise<boolean> {
  return isTrue(run(tree.folder, 'merge-base', '--is-ancestor', into, `refs/heads/${branch}`));
}

interface Merge {
  readonly folder: string;
  readonly own: string;
  readonly into: string;
  readonly uncommitted: readonly string[];
}

// A file that both have changed in the same way stays as it is.
async function filesToMerge({ folder, own, into, uncommitted }: Merge): Promise<readonly string[]> {
  const diff = (range: string) =>
    namesOf(folder, 'diff', '--name-only', '-z', '--no-ext-diff', '--no-renames', range);
  const [since, different] = await Promise.all([diff(`${into}...${own}`), diff(`${into}..${own}`)]);
  const still = new Set(different);
  return [...new Set([...since.filter((name) => still.has(name)), ...uncommitted])];
}

// Git overwrites files that it ignores without a word.
async function ignoredAmong(names: readonly string[], folder: string): Promise<readonly string[]> {
  const tracked = new Set(await namesOf(folder, 'ls-files', '-z'));
  const found: string[] = [];
  for (const name of names)
    if (!tracked.has(name) && (await exists(path.join(folder, name)))) found.push(name);
  return found;
}
