import path from 'node:path';
import { expandHome } from '../programs.ts';
import type { Abilities } from '../session/model.ts';
import type { LeftOut } from './mcp-config.ts';

export interface Directories {
  readonly directories: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** The folders an agent may work in besides its own: absolute, each once, and none if it knows only one folder. */
export function directoriesFor(
  configured: readonly string[],
  cwd: string,
  abilities: Abilities,
  home?: string,
): Directories {
  const absolute = configured
    .filter((name) => name.trim() !== '')
    .map((name) => withoutEnd(path.resolve(cwd, expandHome(name, home))));
  const others = [...new Set(absolute)].filter((folder) => folder !== withoutEnd(cwd));
  if (abilities.directories) return { directories: others, leftOut: [] };
  const reason = 'the agent works in one folder only';
  return { directories: [], leftOut: others.map((name) => ({ name, reason })) };
}

function withoutEnd(folder: string): string {
  return folder === path.parse(folder).root ? folder : folder.replace(/[/\\]+$/, '');
}
