import path from 'node:path';
import type { Checkout } from './checkout.ts';
import { reasonOf, run } from './user-git.ts';

/** What keeps the plugin from committing in a work tree, whoever works there. */
export function stateObstacle({
  folder,
  gitFolder,
  operation,
  isLocked,
  conflicts,
}: Checkout): string | undefined {
  if (operation) return `${folder} is in the middle of a ${operation}; finish or abort it there first`;
  if (conflicts.length > 0) return `${conflicts[0]} in ${folder} has conflicts; solve them first`;
  const lock = path.join(gitFolder, 'index.lock');
  if (isLocked) return `git is at work in ${folder}; if it is not, delete ${lock}, which it has left there`;
  return undefined;
}

/** Why git can't commit for the user. */
export async function identityObstacle(folder: string): Promise<string | undefined> {
  for (const name of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const missing = await run(folder, 'var', name).then(() => undefined, reasonOf);
    if (missing !== undefined) return `git can't commit for you: ${missing}`;
  }
  return undefined;
}
