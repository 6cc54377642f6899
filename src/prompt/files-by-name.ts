import { settledWithin } from '../base/timeout.ts';
import type { FileIndex } from './file-index.ts';

/** Nobody waits longer for the files of a large folder. */
const maxListingMs = 2_000;

/** The files below some folders whose paths end with a name: `a.ts` and `lib/a.ts` both name `src/lib/a.ts`. */
export async function filesByName(
  index: Pick<FileIndex, 'get' | 'settled'>,
  folders: readonly string[],
  name: string,
): Promise<readonly string[]> {
  const lists = await Promise.all(folders.map((folder) => pathsBelow(index, folder)));
  const found = lists.flat().filter((file) => file.endsWith(`/${name}`));
  return [...new Set(found)];
}

// The list may be older than the file.
async function pathsBelow(
  index: Pick<FileIndex, 'get' | 'settled'>,
  folder: string,
): Promise<readonly string[]> {
  index.get(folder);
  await settledWithin(maxListingMs, index.settled(folder));
  return (index.get(folder)?.paths ?? []).map((file) => `${folder}/${file}`);
}
