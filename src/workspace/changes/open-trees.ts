import fs from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../errors.ts';
import { Copies } from './copies.ts';
import { GitTrees } from './git-trees.ts';
import type { Trees, Unwatched } from './trees.ts';

const maxNested = 20;

export interface OpenedTrees {
  readonly trees: readonly Trees[];
  /** The folders that can't be looked at. */
  readonly failures: readonly Unwatched[];
}

/** Each folder as its repository knows it, or else by copies. One that is in another needs none of its own. */
export async function openTrees(folders: readonly string[], state: string): Promise<OpenedTrees> {
  const real = await Promise.all(folders.map((folder) => fs.realpath(folder).catch(() => undefined)));
  const there = [...new Set(real.filter((folder) => folder !== undefined))];
  const outer = there.filter((folder) => !there.some((other) => other !== folder && isBelow(folder, other)));
  const failures: Unwatched[] = [];
  const trees = await Promise.all(
    outer.map((folder) =>
      treesOf(folder, state, failures).catch((error: unknown) => {
        failures.push({ path: folder, reason: messageOf(error) });
        return [];
      }),
    ),
  );
  return { trees: trees.flat(), failures };
}

async function treesOf(folder: string, state: string, failures: Unwatched[]): Promise<readonly Trees[]> {
  const repository = await GitTrees.open(folder, state);
  if (!repository) return [new Copies(folder, state)];
  return [repository, ...(await treesIn(repository, state, failures))];
}

// A repository knows nothing of those in it, submodules or not.
async function treesIn(outer: GitTrees, state: string, failures: Unwatched[]): Promise<readonly GitTrees[]> {
  const nested = await outer.nested();
  const folders = nested.slice(0, maxNested);
  const reason = `is one of more than ${maxNested} repositories in ${outer.root}`;
  failures.push(...nested.slice(maxNested).map((folder) => ({ path: folder, reason })));
  const trees = await Promise.all(
    folders.map(async (folder) => {
      const inner = await GitTrees.open(folder, state);
      // A submodule that was never fetched is only a folder of the outer one.
      return inner?.root === folder ? [inner, ...(await treesIn(inner, state, failures))] : [];
    }),
  );
  return trees.flat();
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`);
}
