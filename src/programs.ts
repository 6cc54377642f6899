import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

interface Place {
  /** Where a name with a slash in it begins. */
  readonly cwd: string;
  readonly searchPath?: string | undefined;
}

/** The absolute path of a program, as a shell in that place would find it. */
export function findProgram(name: string, { cwd, searchPath }: Place): string | undefined {
  if (name === '') return undefined;
  const hasFolder = name.includes('/') || name.includes(path.sep);
  const folders = (searchPath ?? process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const candidates = hasFolder
    ? [path.resolve(cwd, expandHome(name))]
    : folders.map((folder) => path.resolve(cwd, folder, name));
  return candidates.flatMap(withEndings).find(isProgram);
}

/** A path with the user's home in place of a leading `~`. */
export function expandHome(name: string, home = os.homedir()): string {
  return /^~(?=$|[/\\])/.test(name) ? home + name.slice(1) : name;
}

// Windows tries the endings of programs one after the other.
function withEndings(file: string): readonly string[] {
  if (process.platform !== 'win32') return [file];
  const endings = (process.env.PATHEXT ?? '.EXE;.CMD;.BAT;.COM').toLowerCase().split(';');
  return path.extname(file) === '' ? endings.map((ending) => file + ending) : [file];
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
