import path from 'node:path';
import type { Checkout } from './checkout.ts';
import { reasonOf, run, someOf } from './user-git.ts';

/** What keeps the plugin from committing in a work tree, whoever works there. `name`: what the user knows it by. */
export function stateObstacle(
  { gitFolder, operation, isLocked, conflicts }: Checkout,
  name: string,
): string | undefined {
  if (operation) return `${name} is in the middle of a ${operation}; finish or abort it there first`;
  if (conflicts.length > 0) return `${conflicts[0]} in ${name} has conflicts; solve them first`;
  const lock = path.join(gitFolder, 'index.lock');
  if (isLocked) return `git is at work in ${name}; if it is not, delete ${lock}, which it has left there`;
  return undefined;
}

/** Why repositories inside of a worktree are in the way. */
export function nestedReason(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const [are, it] =
    names.length === 1
      ? ['is a git repository of its own', 'it']
      : ['are git repositories of their own', 'them'];
  return `${someOf(names)} ${are}, of which no commit takes a file; move ${it} out of the worktree first`;
}

/** Why git can't commit for the user. */
export async function identityObstacle(folder: string): Promise<string | undefined> {
  for (const name of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const missing = await run(folder, 'var', name).then(() => undefined, reasonOf);
    if (missing !== undefined) return `git can't commit for you: ${missing}`;
  }
  return undefined;
}
