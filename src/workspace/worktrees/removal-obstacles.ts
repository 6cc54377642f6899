import path from 'node:path';
import { exists } from './checkout.ts';
import { hiddenChanges, nestedRepositories } from './hidden-files.ts';
import { identityObstacle, nestedReason, stateObstacle } from './tree-obstacles.ts';
import { beOf, run, someOf } from './user-git.ts';
import type { Facts } from './worktree-state.ts';

/** Why a worktree can't be removed without losing something. */
export async function removalObstacle(facts: Facts): Promise<string | undefined> {
  const { tree } = facts;
  return (
    stateObstacle(tree, 'the worktree') ??
    headObstacle(facts) ??
    (await lostCommit(facts)) ??
    nestedReason(await nestedRepositories(tree.folder)) ??
    (await hiddenObstacle(facts)) ??
    (await lockObstacle(facts)) ??
    (tree.uncommitted.length > 0 ? await identityObstacle(tree.folder) : undefined)
  );
}

// Nothing is committed to a branch of the user.
function headObstacle({ tree, branch }: Facts): string | undefined {
  const { uncommitted } = tree;
  if (tree.branch === branch || uncommitted.length === 0) return undefined;
  const place = tree.branch === undefined ? 'no branch' : `the branch "${tree.branch}", not on ${branch}`;
  const files = `${someOf(uncommitted)} ${beOf(uncommitted)} not committed`;
  return `the worktree is on ${place}, and ${files}; commit or discard that there first`;
}

async function lostCommit({ tree }: Facts): Promise<string | undefined> {
  const { folder, branch, commit } = tree;
  if (branch !== undefined || commit === undefined) return undefined;
  const args = ['rev-list', '-n1', commit, '--not', '--branches', '--tags', '--remotes'];
  if ((await run(folder, ...args)) === '') return undefined;
  const short = commit.slice(0, 7);
  return `commit ${short} is on no branch; "git branch NAME ${short}" there keeps it`;
}

async function hiddenObstacle({ tree }: Facts): Promise<string | undefined> {
  const hidden = await hiddenChanges(tree);
  const [first] = hidden;
  if (!first) return undefined;
  const names = hidden.map(({ name }) => name);
  const command = `git update-index --no-${first.flag} ${first.name}`;
  return `${someOf(names)} ${beOf(names)} changed, but hidden from git; "${command}" there shows it`;
}

async function lockObstacle({ tree }: Facts): Promise<string | undefined> {
  const { folder, gitFolder } = tree;
  if (await exists(path.join(gitFolder, 'locked')))
    return `the worktree is locked; "git worktree unlock ${folder}" unlocks it`;
  // Their commits are in the git folder of the worktree, which git deletes with it.
  if (await exists(path.join(gitFolder, 'modules')))
    return `the worktree has submodules; push their commits, then remove it with "git worktree remove --force ${folder}"`;
  return undefined;
}
