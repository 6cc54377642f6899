import fs from 'node:fs/promises';
import path from 'node:path';
import { startGit } from './snapshots/git.ts';
import { isInRepository } from './snapshots/user-repository.ts';
import { submodulesOf } from './submodules.ts';

/** No more files than this are offered; a larger folder is listed in part. */
export const maxListedFiles = 200_000;
const maxDepth = 40;
/** Folders with files that nobody mentions, where no repository says what to leave out. */
const skippedFolders = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv', '.cache']);

interface Listing {
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly files: string[];
}

/**
 * The files of a folder, relative to it, with `/`. In a repository: what git tracks and what it does not ignore, with
 * submodules. Elsewhere: everything but the folders of version control, packages and caches.
 */
export async function listFiles(
  folder: string,
  signal: AbortSignal,
  limit = maxListedFiles,
): Promise<readonly string[]> {
  const listing = { limit, signal, files: [] };
  const isRepository = await listRepository(folder, '', listing);
  // A folder that is ignored as a whole has no files for git.
  if (!isRepository || listing.files.length === 0) await walk(folder, '', listing, 0);
  return listing.files;
}

async function listRepository(folder: string, prefix: string, listing: Listing): Promise<boolean> {
  if (!(await isInRepository(folder))) return false;
  const submodules = await submodulesOf(folder);
  const deleted = new Set<string>();
  const found: string[] = [];
  const isComplete = await readNames(folder, listing, (tagged) => {
    const [tag, name] = [tagged[0], tagged.slice(2)];
    if (tag === 'R') deleted.add(name);
    // The name of an untracked repository inside this one ends with a slash.
    else if (!name.endsWith('/') && !submodules.has(name)) found.push(name);
    return listing.files.length + found.length < listing.limit;
  });
  if (!isComplete) return false;
  let last: string | undefined;
  for (const name of found) {
    // A file with conflicts is listed once for each side.
    if (name !== last && !deleted.has(name)) listing.files.push(prefix + name);
    last = name;
  }
  for (const submodule of submodules) {
    const inner = path.join(folder, submodule);
    const isPopulated = await fs.stat(path.join(inner, '.git')).then(
      () => true,
      () => false,
    );
    if (isPopulated) await listRepository(inner, `${prefix}${submodule}/`, listing);
  }
  return true;
}

/** Calls back with each name, tagged by git, until it returns false. False if git could not list the folder. */
function readNames(folder: string, { signal }: Listing, take: (tagged: string) => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(true);
    const args = ['ls-files', '-z', '-t', '--cached', '--deleted', '--others', '--exclude-standard'];
    const child = startGit(args, { cwd: folder });
    let isEnough = false;
    let rest = '';
    const stop = () => {
      isEnough = true;
      child.kill();
    };
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      if (isEnough) return;
      const names = (rest + chunk).split('\0');
      rest = names.pop()!;
      if (!names.every(take)) stop();
    });
    child.stderr.resume();
    child.on('error', () => resolve(false));
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop);
      resolve(isEnough || code === 0);
    });
    child.stdin.end();
  });
}

// One folder after the other: a huge tree must not take all threads of the host.
async function walk(folder: string, prefix: string, listing: Listing, depth: number): Promise<void> {
  const { files, limit, signal } = listing;
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders: string[] = [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (files.length >= limit) return;
    if (!entry.isDirectory()) files.push(prefix + entry.name);
    else if (!skippedFolders.has(entry.name)) folders.push(entry.name);
  }
  for (const name of depth < maxDepth ? folders : []) {
    if (signal.aborted || files.length >= limit) return;
    await walk(path.join(folder, name), `${prefix}${name}/`, listing, depth + 1);
  }
}
