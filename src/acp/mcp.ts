import type { McpServer } from '@agentclientprotocol/sdk';
import type { Abilities } from '../session/model.ts';
import type { LeftOut, McpConfig } from './mcp-config.ts';

export interface McpServers {
  readonly servers: readonly McpServer[];
  readonly leftOut: readonly LeftOut[];
}

/** Where the program of a server is. */
export type FindCommand = (command: string, searchPath: string | undefined) => string | undefined;

/** The servers an agent can use, as the protocol has them, and those it can't. */
export function mcpServersFor(
  configured: readonly McpConfig[],
  abilities: Abilities,
  findCommand: FindCommand,
): McpServers {
  const servers: McpServer[] = [];
  const leftOut: LeftOut[] = [];
  for (const config of configured) {
    const server = config.kind === 'stdio' ? local(config, findCommand) : remote(config, abilities);
    if (typeof server === 'string') leftOut.push({ name: config.name, reason: server });
    else servers.push(server);
  }
  return { servers, leftOut };
}

type Local = McpConfig & { readonly kind: 'stdio' };
type Remote = McpConfig & { readonly kind: 'http' | 'sse' };

// A stdio server has no `type` in version 1, and its command is an absolute path.
function local({ name, command, args, env }: Local, findCommand: FindCommand): McpServer | string {
  const found = findCommand(command, env.find((variable) => variable.name === 'PATH')?.value);
  if (found === undefined) return `its command "${command}" was not found`;
  return { name, command: found, args: [...args], env: [...env] };
}

function remote({ kind, name, url, headers }: Remote, abilities: Abilities): McpServer | string {
  const isUsable = kind === 'http' ? abilities.mcpHttp : abilities.mcpSse;
  return isUsable ? { type: kind, name, url, headers: [...headers] } : `the agent does not speak ${kind}`;
}
