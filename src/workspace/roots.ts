import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { codeOf, placeError } from './place.ts';

const maxLinks = 40;
const maxPathBytes = 4096;

export interface Place {
  /** Where a path really leads, symlinks resolved; what is not there yet is where it would be. */
  readonly real: string;
  readonly isInside: boolean;
}

/** The folders that are a session's business. When it is not sure where a path leads, it leads outside. */
export class Roots {
  private readonly folders: readonly string[];
  private real: Promise<readonly string[]> | undefined;

  constructor(folders: readonly string[]) {
    this.folders = folders;
  }

  /** Whether a real path is inside, whatever a link at its end leads to. */
  async holds(place: string): Promise<boolean> {
    return (await this.realFolders()).some((root) => isBelow(place, root));
  }

  async find(file: string): Promise<Place> {
    if (Buffer.byteLength(file) >= maxPathBytes) throw placeError('ENAMETOOLONG');
    const real = await realPath(file);
    return { real, isInside: await this.holds(real) };
  }

  private realFolders(): Promise<readonly string[]> {
    this.real ??= Promise.all(this.folders.map((folder) => realPath(folder)));
    return this.real;
  }
}

function isBelow(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** Follows every link on the way, those that lead nowhere included, so that nothing is written behind one. */
async function realPath(file: string, links = 0): Promise<string> {
  if (links > maxLinks) throw placeError('ELOOP');
  try {
    return await fs.realpath(file);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
  return realPlace(file, links);
}

// From the top, because what is below the first name that is missing needs no look.
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
