import fs from 'node:fs';
import path from 'node:path';

const gitNames = ['HEAD', 'objects', 'refs'];

/** Whether the path is a git directory or inside of one, whatever that is called, or becomes so when it is written. */
export function isInGitFolder(real: string): boolean {
  if (gitNames.every((name) => isThere(path.join(real, name)))) return true;
  for (let below = real; below !== path.dirname(below); below = path.dirname(below)) {
    const others = gitNames.filter((name) => name !== path.basename(below));
    if (others.every((name) => isThere(path.join(path.dirname(below), name)))) return true;
  }
  return false;
}

function isThere(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
