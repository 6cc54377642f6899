import { isRecord } from './base.ts';
import { AcpError } from './errors.ts';
import type { AgentSpec, TransportKind } from './ports/agent.ts';

const transports: readonly TransportKind[] = ['stdio', 'websocket', 'http', 'post'];

type Reach = Pick<AgentSpec, 'transport' | 'url' | 'headers' | 'framing' | 'paths'>;

/** Reads how an agent is spoken to. Lua has checked it before and told the user what is wrong. */
export function reachOf(
  agent: Readonly<Record<string, unknown>>,
): Reach & { readonly transport: TransportKind } {
  const transport = transports.find((kind) => kind === (agent.transport ?? 'stdio'));
  if (!transport) throw new AcpError('bad_params', `agent.transport must be one of ${transports.join(', ')}`);
  if (transport !== 'stdio' && typeof agent.url !== 'string') {
    throw new AcpError('bad_params', 'agent.url must be a string');
  }
  return {
    transport,
    ...(typeof agent.url === 'string' && { url: agent.url }),
    ...(agent.framing === 'content-length' && { framing: agent.framing }),
    headers: textsOf(agent.headers),
    paths: textsOf(agent.paths),
  };
}

// An empty Lua table arrives as an empty list.
function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}
