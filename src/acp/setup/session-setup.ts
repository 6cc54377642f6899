import type { McpServer } from '@agentclientprotocol/sdk';
import type { AgentCapabilities } from '../../model/agent.ts';
import type { NoticeEvent } from '../../model/session-events.ts';
import type { AgentSpec, SessionSink } from '../../ports/agent.ts';
import { findProgram } from '../../system/find-program.ts';
import { directoriesFor } from './directories.ts';
import { mcpServersFor } from './mcp.ts';
import { readMcpServers } from './mcp-config.ts';

interface SessionSetup {
  /** Parameters of every request that opens a session, besides its folder. */
  readonly params: {
    readonly mcpServers: readonly McpServer[];
    readonly additionalDirectories?: readonly string[];
  };
  /** Configured servers and folders that the agent is not given, one line each, with the reason. */
  readonly omissions: readonly string[];
}

/** The configured MCP servers and additional folders, as far as the agent supports them. */
export function sessionSetupFor(
  spec: AgentSpec,
  cwd: string,
  capabilities: AgentCapabilities = {},
): SessionSetup {
  const configured = readMcpServers(spec.mcpServers ?? [], { cwd, env: { ...process.env, ...spec.env } });
  const usable = mcpServersFor(configured.servers, capabilities, (command, searchPath) =>
    findProgram(command, { cwd, searchPath: searchPath ?? spec.env.PATH }),
  );
  const { directories, omissions } = directoriesFor(spec.directories ?? [], cwd, capabilities);
  return {
    params: {
      mcpServers: usable.servers,
      ...(directories.length > 0 && { additionalDirectories: directories }),
    },
    omissions: [
      ...[...configured.omissions, ...usable.omissions].map(
        ({ name, reason }) => `MCP server ${name}: ${reason}`,
      ),
      ...omissions.map(({ name, reason }) => `folder ${name}: ${reason}`),
    ],
  };
}

/** Reports the omissions to a chat, unless an earlier agent of the chat had the same ones. */
export function reportOmissions(agentName: string, sink: SessionSink, { omissions }: SessionSetup): void {
  const lines = omissions.join('\n');
  if (lines === '' || sink.reportedOmissions === lines) return;
  sink.reportedOmissions = lines;
  sink.report(omissionNotice(agentName, omissions));
}

function omissionNotice(agentName: string, detail: readonly string[]): NoticeEvent {
  return {
    kind: 'notice',
    severity: 'warning',
    title: `${agentName} was not given everything you configured.`,
    detail,
    hint: 'See mcp_servers and directories in :help acp-options.',
  };
}
