import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { git } from './git.ts';
import { GitShadow, type Repository } from './git-shadow.ts';
import { KeptTrees } from './kept-trees.ts';

/**
 * Earlier versions held what they noted with refs in the user's repository. What sessions still remember is copied to
 * where it is held now; then those refs are removed, and git prunes the objects. `state` is the folder of one session,
 * beside those of the others.
 */
export async function moveEarlierRefs(repository: Repository, state: string): Promise<void> {
  const { root: cwd } = repository;
  const sessions = path.dirname(state);
  const prefix = `refs/acp/${hash(sessions)}`;
  const listed = await git(['for-each-ref', '--format=%(refname) %(objectname)', prefix], { cwd });
  const refs = [...listed.toString().matchAll(/^(refs\/acp\/\w+\/([\w-]+)\/\S+) (\w+)$/gm)];
  if (refs.length === 0) return;
  for (const name of await fs.readdir(sessions)) {
    const own = refs.filter(([, , session]) => session === refName(name));
    const trees = own.map(([, , , tree]) => tree!);
    if (trees.length > 0) await copyTrees(repository, path.join(sessions, name), trees);
  }
  const deletions = refs.map(([, ref]) => `delete ${ref}\n`).join('');
  await git(['update-ref', '--stdin'], { cwd, input: deletions });
}

async function copyTrees(repository: Repository, session: string, trees: readonly string[]): Promise<void> {
  const shadows = (await fs.readdir(session)).filter((name) => name.startsWith('git-'));
  for (const name of shadows) {
    const shadow = new GitShadow(repository, path.join(session, name));
    await shadow.makeFolders();
    await new KeptTrees(shadow).keep(...trees);
  }
}

function refName(folder: string): string {
  return path.basename(folder).replaceAll(/[^\w-]/g, '-');
}

export function hash(text: string): string {
  return createHash('sha1').update(text).digest('hex').slice(0, 12);
}
