import path from 'node:path';

/**
 * Whether git takes a folder, or one above it, for a repository without a work tree: its own `HEAD` lies in it. Such a
 * repository has a `config` that names programs, and no name in it tells that anybody executes it.
 */
export function isInBareRepository(folder: string, namesIn: (folder: string) => readonly string[]): boolean {
  const names = namesIn(folder);
  if (names.includes('.git')) return false;
  if (names.some((name) => name.toUpperCase() === 'HEAD')) return true;
  const parent = path.dirname(folder);
  return parent !== folder && isInBareRepository(parent, namesIn);
}
