import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../base/paths.ts';
import { codeOf, pathError } from './held-folder.ts';

const maxLinks = 40;
const maxPathBytes = 4096;

interface ResolvedPath {
  /** The path with all symlinks resolved; a missing file has the path it would be created at. */
  readonly real: string;
  readonly isInside: boolean;
}

/** The folders of a session. A path that can't be resolved counts as outside. */
export class Roots {
  private readonly folders: readonly string[];
  private real: Promise<readonly string[]> | undefined;

  constructor(folders: readonly string[]) {
    this.folders = folders;
  }

  /** Whether a real path is inside of the folders; a symlink at its end is not followed. */
  async contains(place: string): Promise<boolean> {
    return (await this.realFolders()).some((root) => isInside(place, root));
  }

  async resolve(file: string): Promise<ResolvedPath> {
    if (Buffer.byteLength(file) >= maxPathBytes) throw pathError('ENAMETOOLONG');
    const real = await realPath(file);
    return { real, isInside: await this.contains(real) };
  }

  private realFolders(): Promise<readonly string[]> {
    this.real ??= Promise.all(this.folders.map((folder) => realPath(folder)));
    return this.real;
  }
}

/** Resolves every symlink in a path, dangling ones too, so that a write can't follow one out of the folders. */
async function realPath(file: string, links = 0): Promise<string> {
  if (links > maxLinks) throw pathError('ELOOP');
  try {
    return await fs.realpath(file);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
  return realPlace(file, links);
}

// From the top: nothing exists below the first missing name.
async function realPlace(file: string, links: number): Promise<string> {
  const { root } = path.parse(file);
  const names = file.slice(root.length).split(path.sep);
  let place = root || process.cwd();
  for (const [index, name] of names.entries()) {
    const next = path.join(place, name);
    const isUp = name === '..';
    const facts = isUp ? undefined : await lstatIfThere(next);
    const rest = names.slice(index + 1);
    if (facts?.isSymbolicLink()) {
      return realPath(path.join(path.resolve(place, await fs.readlink(next)), ...rest), links + 1);
    }
    if (!facts && !isUp) return path.join(next, ...rest);
    place = next;
  }
  return place;
}

async function lstatIfThere(file: string): Promise<Stats | undefined> {
  try {
    return await fs.lstat(file);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}
