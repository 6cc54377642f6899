import fs from 'node:fs/promises';
import { messageOf } from '../../base/errors.ts';
import { isInside } from '../../base/paths.ts';
import { CopyStore } from './copy-store.ts';
import { GitStore } from './git-store.ts';
import type { SnapshotStore, UnwatchedPath } from './snapshot-store.ts';

const maxNested = 20;

interface OpenedStores {
  readonly stores: readonly SnapshotStore[];
  /** The folders that can't be watched. */
  readonly failures: readonly UnwatchedPath[];
}

/** Opens a git store for each folder in a repository, and a copy store for others. Folders inside of others need none. */
export async function openStores(folders: readonly string[], changesFolder: string): Promise<OpenedStores> {
  const real = await Promise.all(folders.map((folder) => fs.realpath(folder).catch(() => undefined)));
  const there = [...new Set(real.filter((folder) => folder !== undefined))];
  const outer = there.filter((folder) => !there.some((other) => other !== folder && isInside(folder, other)));
  const failures: UnwatchedPath[] = [];
  const stores = await Promise.all(
    outer.map((folder) =>
      storesFor(folder, changesFolder, failures).catch((error: unknown) => {
        failures.push({ path: folder, reason: messageOf(error) });
        return [];
      }),
    ),
  );
  return { stores: stores.flat(), failures };
}

async function storesFor(
  folder: string,
  changesFolder: string,
  failures: UnwatchedPath[],
): Promise<readonly SnapshotStore[]> {
  const repository = await GitStore.open(folder, changesFolder);
  if (!repository) return [new CopyStore(folder, changesFolder)];
  return [repository, ...(await nestedStores(repository, changesFolder, failures))];
}

// Git does not look into nested repositories, whether they are submodules or not.
async function nestedStores(
  outer: GitStore,
  changesFolder: string,
  failures: UnwatchedPath[],
): Promise<readonly GitStore[]> {
  const nested = await outer.nestedRepositories();
  const folders = nested.slice(0, maxNested);
  const reason = `is one of more than ${maxNested} repositories in ${outer.root}`;
  failures.push(...nested.slice(maxNested).map((folder) => ({ path: folder, reason })));
  const stores = await Promise.all(
    folders.map(async (folder) => {
      const inner = await GitStore.open(folder, changesFolder);
      // A submodule that was never fetched is an ordinary folder of the outer repository.
      return inner?.root === folder ? [inner, ...(await nestedStores(inner, changesFolder, failures))] : [];
    }),
  );
  return stores.flat();
}
