import os from 'node:os';
import path from 'node:path';

/** Whether a path is a folder itself or below it. Both are absolute; links are not resolved. */
export function isInside(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** A path for the user to read: relative to `cwd`, or with `~` for `home`. */
export function displayPath(file: string, cwd: string, home = ''): string {
  if (file === cwd) return '.';
  if (file.startsWith(`${cwd}/`)) return file.slice(cwd.length + 1);
  return home !== '' && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}

/** Replaces a leading `~` by the user's home folder. */
export function expandHome(name: string, home = os.homedir()): string {
  const isHome = name === '~' || name.startsWith('~/') || name.startsWith(`~${path.sep}`);
  return isHome ? home + name.slice(1) : name;
}

/** The path of what a user names: relative to `cwd`, or to the home folder after `~`. */
export function absolutePath(name: string, cwd: string, home?: string): string {
  return path.resolve(cwd, expandHome(name, home));
}

/**
 * The same with its `..`: behind a link it leads elsewhere than the text says, and behind a missing folder nowhere. Only
 * the system knows.
 */
export function literalPath(name: string, cwd: string): string {
  const expanded = expandHome(name);
  return path.isAbsolute(expanded) ? expanded : `${cwd}${path.sep}${expanded.replace(/^(?:\.\/+)+/, '')}`;
}

/** A folder and all folders above it, from the inside out. */
export function withParents(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}
