import { AcpError } from '../../base/errors.ts';
import { isRecord } from '../../base/record.ts';
import type { AgentCapabilities } from '../../model/agent.ts';
import { asRecord } from './fields.ts';

export type Capability = Exclude<
  keyof AgentCapabilities,
  'image' | 'audio' | 'embeddedContext' | 'textOnly' | 'mcpHttp' | 'mcpSse' | 'directories' | 'steering'
>;

/** What each capability allows, and its method. */
const descriptions: Readonly<Record<Capability, readonly [what: string, method: string]>> = {
  load: ['open an earlier session', 'session/load'],
  resume: ['resume an earlier session', 'session/resume'],
  list: ['list its sessions', 'session/list'],
  delete: ['delete a session', 'session/delete'],
  close: ['close a session', 'session/close'],
  fork: ['fork a session', 'session/fork'],
  title: ['rename a session', 'session/set_title'],
  logout: ['log out', 'logout'],
};

/**
 * Decodes the agent's capabilities. An object means support, whatever it contains. `meta` is that of the answer to
 * `initialize`, where agents announce extensions.
 */
export function decodeCapabilities(capabilities: unknown, meta?: unknown): AgentCapabilities {
  const all = asRecord(capabilities);
  const session = asRecord(all.sessionCapabilities);
  const prompt = asRecord(all.promptCapabilities);
  const mcp = asRecord(all.mcpCapabilities);
  return {
    load: all.loadSession === true,
    resume: isRecord(session.resume),
    list: isRecord(session.list),
    delete: isRecord(session.delete),
    close: isRecord(session.close),
    fork: isRecord(session.fork),
    title: isRecord(session.title),
    logout: isRecord(asRecord(all.auth).logout),
    image: prompt.image === true,
    audio: prompt.audio === true,
    embeddedContext: prompt.embeddedContext === true,
    mcpHttp: mcp.http === true,
    mcpSse: mcp.sse === true,
    directories: isRecord(session.additionalDirectories),
    steering: asRecord(asRecord(meta).steering).supported === true,
  };
}

export function requireCapability(agent: string, capabilities: AgentCapabilities, name: Capability): void {
  if (capabilities[name]) return;
  const [what, method] = descriptions[name];
  throw new AcpError('unsupported', `${agent} can't ${what}: it does not support ${method}.`);
}
