import fs from 'node:fs/promises';
import path from 'node:path';
import { Copies } from './copies.ts';
import { GitTrees } from './git-trees.ts';
import type { Trees } from './trees.ts';

/** Each folder as its repository knows it, or else by copies. One that is in another needs none of its own. */
export async function openTrees(folders: readonly string[], state: string): Promise<readonly Trees[]> {
  const real = await Promise.all(folders.map((folder) => fs.realpath(folder).catch(() => undefined)));
  const there = [...new Set(real.filter((folder) => folder !== undefined))];
  const outer = there.filter((folder) => !there.some((other) => other !== folder && isBelow(folder, other)));
  return Promise.all(
    outer.map(async (folder) => (await GitTrees.open(folder, state)) ?? new Copies(folder, state)),
  );
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`);
}
