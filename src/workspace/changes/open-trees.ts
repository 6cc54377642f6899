import fs from 'node:fs/promises';
import path from 'node:path';
import { Copies } from './copies.ts';
import { GitTrees } from './git-trees.ts';
import type { Trees } from './trees.ts';

const maxNested = 20;

/** Each folder as its repository knows it, or else by copies. One that is in another needs none of its own. */
export async function openTrees(folders: readonly string[], state: string): Promise<readonly Trees[]> {
  const real = await Promise.all(folders.map((folder) => fs.realpath(folder).catch(() => undefined)));
  const there = [...new Set(real.filter((folder) => folder !== undefined))];
  const outer = there.filter((folder) => !there.some((other) => other !== folder && isBelow(folder, other)));
  const trees = await Promise.all(
    outer.map(async (folder) => {
      const repository = await GitTrees.open(folder, state);
      return repository ? [repository, ...(await treesIn(repository, state))] : [new Copies(folder, state)];
    }),
  );
  return trees.flat();
}

// A repository knows nothing of those in it, submodules or not.
async function treesIn(outer: GitTrees, state: string): Promise<readonly GitTrees[]> {
  const folders = (await outer.nested()).slice(0, maxNested);
  const trees = await Promise.all(
    folders.map(async (folder) => {
      const inner = await GitTrees.open(folder, state);
      // A submodule that was never fetched is only a folder of the outer one.
      return inner?.root === folder ? [inner, ...(await treesIn(inner, state))] : [];
    }),
  );
  return trees.flat();
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`);
}
