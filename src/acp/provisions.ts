import type { McpServer } from '@agentclientprotocol/sdk';
import type { AgentSpec, SessionSink } from '../ports/agent.ts';
import { findProgram } from '../programs.ts';
import type { NoticeEvent } from '../session/events.ts';
import type { Abilities } from '../session/model.ts';
import { directoriesFor } from './directories.ts';
import { mcpServersFor } from './mcp.ts';
import { readMcpServers } from './mcp-config.ts';

export interface Provisions {
  /** What every request that opens a session carries besides its folder. */
  readonly params: {
    readonly mcpServers: readonly McpServer[];
    readonly additionalDirectories?: readonly string[];
  };
  /** What of the configuration this agent can't be given. */
  readonly notice: NoticeEvent | undefined;
}

/** What a session is given by the configuration: MCP servers and more folders, as far as its agent can use them. */
export function provisionsFor(spec: AgentSpec, cwd: string, abilities: Abilities = {}): Provisions {
  const read = readMcpServers(spec.mcpServers ?? [], { cwd, env: { ...process.env, ...spec.env } });
  const { servers, leftOut } = mcpServersFor(read.servers, abilities, (command, searchPath) =>
    findProgram(command, { cwd, searchPath: searchPath ?? spec.env.PATH }),
  );
  const { directories, leftOut: folders } = directoriesFor(spec.directories ?? [], cwd, abilities);
  const lines = [
    ...[...read.leftOut, ...leftOut].map(({ name, reason }) => `MCP server ${name}: ${reason}`),
    ...folders.map(({ name, reason }) => `folder ${name}: ${reason}`),
  ];
  return {
    params: { mcpServers: servers, ...(directories.length > 0 && { additionalDirectories: directories }) },
    notice: lines.length === 0 ? undefined : noticeOf(spec.name, lines),
  };
}

// A chat outlives its agents, and need not hear of the same thing from each of them.
const told = new WeakMap<SessionSink, string>();

/** Tells a chat what its agent was not given, once. */
export function tellLeftOut(sink: SessionSink, { notice }: Provisions): void {
  const text = notice?.detail?.join('\n');
  if (notice === undefined || text === undefined || told.get(sink) === text) return;
  told.set(sink, text);
  sink.report(notice);
}

function noticeOf(agent: string, detail: readonly string[]): NoticeEvent {
  return {
    kind: 'notice',
    severity: 'warning',
    title: `${agent} was not given everything you configured.`,
    detail,
    hint: 'See mcp_servers and directories in :help acp-options.',
  };
}
