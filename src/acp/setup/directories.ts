import path from 'node:path';
import { absolutePath } from '../../base/paths.ts';
import type { AgentCapabilities } from '../../model/agent.ts';
import type { Omission } from './mcp-config.ts';

interface Directories {
  readonly directories: readonly string[];
  readonly omissions: readonly Omission[];
}

/** The additional folders of a session: absolute, without duplicates; none if the agent does not support them. */
export function directoriesFor(
  configured: readonly string[],
  cwd: string,
  capabilities: AgentCapabilities,
  home?: string,
): Directories {
  const absolute = configured
    .filter((name) => name.trim() !== '')
    .map((name) => withoutTrailingSlash(absolutePath(name, cwd, home)));
  const others = [...new Set(absolute)].filter((folder) => folder !== withoutTrailingSlash(cwd));
  if (capabilities.directories) return { directories: others, omissions: [] };
  const reason = 'the agent does not support additional folders';
  return { directories: [], omissions: others.map((name) => ({ name, reason })) };
}

function withoutTrailingSlash(folder: string): string {
  return folder === path.parse(folder).root ? folder : folder.replace(/[/\\]+$/, '');
}
