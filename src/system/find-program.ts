import fs from 'node:fs';
import path from 'node:path';
import { literalPath } from '../base/paths.ts';

interface SearchOptions {
  /** The folder that relative names start from. */
  readonly cwd: string;
  readonly searchPath?: string | undefined;
}

/** The absolute path of a program, found as a shell finds it. */
export function findProgram(name: string, { cwd, searchPath }: SearchOptions): string | undefined {
  if (name === '') return undefined;
  const hasFolder = name.includes('/') || name.includes(path.sep);
  const folders = (searchPath ?? process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const candidates = hasFolder
    ? [literalPath(name, cwd)]
    : folders.map((folder) => literalPath(`${folder}${path.sep}${name}`, cwd));
  return candidates.flatMap(withProgramExtensions).find(isProgram);
}

// Windows tries the extensions of PATHEXT one after the other.
function withProgramExtensions(file: string): readonly string[] {
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
