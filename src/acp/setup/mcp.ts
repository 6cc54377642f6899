import type { McpServer } from '@agentclientprotocol/sdk';
import type { AgentCapabilities } from '../../model/agent.ts';
import type { McpConfig, Omission } from './mcp-config.ts';

interface UsableServers {
  readonly servers: readonly McpServer[];
  readonly omissions: readonly Omission[];
}

/** Returns the absolute path of a program. */
type FindCommand = (command: string, searchPath: string | undefined) => string | undefined;

/** Encodes the servers that the agent supports and lists the others. */
export function mcpServersFor(
  configured: readonly McpConfig[],
  capabilities: AgentCapabilities,
  findCommand: FindCommand,
): UsableServers {
  const servers: McpServer[] = [];
  const omissions: Omission[] = [];
  for (const config of configured) {
    const server =
      config.kind === 'stdio'
        ? encodeLocalServer(config, findCommand)
        : encodeRemoteServer(config, capabilities);
    if (typeof server === 'string') omissions.push({ name: config.name, reason: server });
    else servers.push(server);
  }
  return { servers, omissions };
}

type Local = McpConfig & { readonly kind: 'stdio' };
type Remote = McpConfig & { readonly kind: 'http' | 'sse' };

// In ACP v1 a stdio server has no `type`, and its command must be an absolute path.
function encodeLocalServer(
  { name, command, args, env }: Local,
  findCommand: FindCommand,
): McpServer | string {
  const found = findCommand(command, env.find((variable) => variable.name === 'PATH')?.value);
  if (found === undefined) return `command "${command}" not found`;
  return { name, command: found, args: [...args], env: [...env] };
}

function encodeRemoteServer(
  { kind, name, url, headers }: Remote,
  capabilities: AgentCapabilities,
): McpServer | string {
  const isUsable = kind === 'http' ? capabilities.mcpHttp : capabilities.mcpSse;
  return isUsable
    ? { type: kind, name, url, headers: [...headers] }
    : `the agent does not support MCP over ${kind}`;
}
