import fs from 'node:fs/promises';
import path from 'node:path';

const maxLinks = 40;

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

  async find(file: string): Promise<Place> {
    this.real ??= Promise.all(this.folders.map((folder) => realPath(folder)));
    const [real, roots] = await Promise.all([realPath(file), this.real]);
    return { real, isInside: roots.some((root) => isBelow(real, root)) };
  }
}

function isBelow(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** Follows every link on the way, those that lead nowhere included, so that nothing is written behind one. */
async function realPath(file: string, links = 0): Promise<string> {
  if (links > maxLinks) throw Object.assign(new Error(`too many links: ${file}`), { code: 'ELOOP' });
  try {
    return await fs.realpath(file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
  const target = await fs.readlink(file).catch(() => undefined);
  if (target !== undefined) return realPath(path.resolve(path.dirname(file), target), links + 1);
  const parent = path.dirname(file);
  return parent === file ? file : path.join(await realPath(parent, links), path.basename(file));
}
