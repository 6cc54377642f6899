import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { git } from './git.ts';
import { KeptObjects } from './kept-objects.ts';
import { ShadowRepository } from './shadow-repository.ts';
import type { UserRepository } from './user-repository.ts';

/**
 * Earlier versions kept snapshots with refs in the user's repository. Copies those that a session still uses to our own
 * folders and deletes the refs, so that git prunes the objects. `changesFolder` belongs to one session; its
 * siblings belong to other sessions.
 */
export async function migrateLegacyRefs(repository: UserRepository, changesFolder: string): Promise<void> {
  const { root: cwd } = repository;
  const sessions = path.dirname(changesFolder);
  const prefix = `refs/acp/${shortHash(sessions)}`;
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

async function copyTrees(
  repository: UserRepository,
  session: string,
  trees: readonly string[],
): Promise<void> {
  const shadows = (await fs.readdir(session)).filter((name) => name.startsWith('git-'));
  for (const name of shadows) {
    const shadow = new ShadowRepository(repository, path.join(session, name));
    await shadow.makeFolders();
    await new KeptObjects(shadow).retain(...trees);
  }
}

function refName(folder: string): string {
  return path.basename(folder).replaceAll(/[^\w-]/g, '-');
}

export function shortHash(text: string): string {
  return createHash('sha1').update(text).digest('hex').slice(0, 12);
}
